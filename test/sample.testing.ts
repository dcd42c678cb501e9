/** Rows of the README's sample of `npm start`. */
export function sampleRows(
  text: string,
): readonly { readonly host: string; readonly call: string; readonly verdict: string }[] {
  const sample = /<!-- sample -->([\s\S]*?)<!-- \/sample -->/.exec(text)?.[1] ?? ''
  return [...sample.matchAll(/^(\w+) +(\S.*?) {2,}(deny|ask|pass|name)\b/gm)].map(([, host, call, verdict]) => ({
    host: host!,
    call: call!,
    verdict: verdict!,
  }))
}
