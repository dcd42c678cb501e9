/** Programs that talk to other machines: what they fetch, send, and where it goes. */
import {
  type Arg,
  concat,
  exact,
  prefixOf,
  showValue,
  taintsOf,
  textOf,
  unknown,
  type Value,
} from '../../core/value.ts'
import type { Content, Doing, Invocation, Reader } from '../doing.ts'
import { isHere } from '../here.ts'
import { all, REMOTE } from '../network/common.ts'
import { ftp, rclone, scp } from '../network/copies.ts'
import { cutArg, type Parsed, parseArgs, type Specification, specify } from '../options.ts'
import type { Group } from '../registry.ts'
import { fromFiles } from '../row.ts'

const CURL =
  '-o|--output:write -O|--remote-name -J|--remote-header-name -L|--location -s|--silent -S|--show-error -f|--fail -i|--include -I|--head -v|--verbose -k|--insecure -X|--request: -H|--header: -d|--data|--data-ascii: --data-binary: --data-raw: --data-urlencode: --json: -F|--form: --form-string: -T|--upload-file: -u|--user: -A|--user-agent: -e|--referer: -b|--cookie: -c|--cookie-jar:write -x|--proxy: -m|--max-time: --connect-timeout: --retry: --retry-delay: -w|--write-out: -D|--dump-header:write -K|--config:read -E|--cert:names --key:names --cacert:names -r|--range: -C|--continue-at: -Y: -y: -z|--time-cond: --url: --output-dir: -G|--get -#|--progress-bar -N|--no-buffer -g|--globoff -n|--netrc --netrc-file:read --create-dirs --compressed -q --http1.1 --http2 -4 -6 --trace:write --trace-ascii:write --stderr:write --resolve: --interface: --limit-rate: --unix-socket: -Z|--parallel --etag-save:write --etag-compare:read --hsts:write --alt-svc:write --libcurl:write --oauth2-bearer: --aws-sigv4: --variable: --expand-url:'

let curlSpec: Specification | undefined

function* curl(call: Invocation): ReturnType<Reader> {
  curlSpec ??= specify(CURL)
  const parsed = parseArgs(curlSpec, call.args)
  if (parsed.flags.has('--help') || parsed.flags.has('--version') || parsed.flags.has('-V') || parsed.flags.has('-h'))
    return []
  const urls = [...parsed.operands, ...all(parsed, '--url')]
  const to = urls[0]?.value ?? unknown('variable')
  const here = urls.length > 0 && urls.every((url) => isHere(url.value))
  const doings: Doing[] = []
  for (const option of ['-c', '-D', '--trace', '--trace-ascii', '--stderr', '--etag-save', '--libcurl'])
    for (const at of all(parsed, option)) doings.push({ do: 'path', act: 'write', at })
  // These are read first and written at the end; without a name they stay in memory.
  for (const option of ['--hsts', '--alt-svc'])
    for (const at of all(parsed, option)) if (textOf(at.value) !== '') doings.push({ do: 'path', act: 'edit', at })
  doings.push(...all(parsed, '-w').flatMap(writtenOut))
  if (all(parsed, '-K').some((at) => /^(?:-|\/dev\/)/.test(prefixOf(at.value))))
    doings.push({ do: 'opaque', what: 'curl options that are made while it runs' })
  for (const option of ['-K', '--netrc-file'])
    for (const at of all(parsed, option)) doings.push({ do: 'path', act: 'read', at })
  // `file:` addresses are files of this machine.
  const own = urls.flatMap(localFile)
  for (const at of own) doings.push({ do: 'path', act: 'read', at })
  if (urls.length > 0 && own.length === urls.length) return [...doings, ...kept(parsed, own)]
  const method = textOf(all(parsed, '-X').at(-1)?.value)?.toUpperCase()
  if (method === 'DELETE' && !here)
    doings.push({ do: 'other', act: 'change', service: 'http', what: `DELETE ${showValue(to)}`, note: 'http-delete' })
  const files: Arg[] = [...all(parsed, '-T')].filter((arg) => textOf(arg.value) !== '-')
  let stdin = all(parsed, '-T').some((arg) => textOf(arg.value) === '-')
  let sends = stdin || files.length > 0
  for (const option of ['-H', '-b']) {
    for (const arg of all(parsed, option)) {
      const text = prefixOf(arg.value)
      // A cookie without an equals sign is the name of a file.
      if (option === '-b' ? text === '' || /[=;]/.test(text) : !text.startsWith('@')) continue
      files.push(option === '-b' ? arg : cutArg(arg, 1))
      sends = true
    }
  }
  const texts: Value[] = all(parsed, '--data-raw').map((arg) => arg.value)
  for (const option of ['-d', '--data-binary', '--data-urlencode', '--json', '-F']) {
    for (const arg of all(parsed, option)) {
      sends = true
      const file = uploaded(arg, option)
      if (file === undefined) {
        texts.push(arg.value)
        continue
      }
      if (textOf(file.value) === '-') stdin = true
      else files.push(file)
    }
  }
  if (sends || files.length > 0 || texts.length > 0)
    doings.push({ do: 'send', to, files, texts, ...(stdin ? { content: call.stdin } : {}) })
  else doings.push(...urls.filter(tellsSecret).map((url): Doing => ({ do: 'send', to: url.value, files: [] })))
  const content = here ? LOCAL_ANSWER : REMOTE
  const outputs = outputsOf(parsed, urls)
  for (const at of outputs) {
    if (!/^\/dev\/(?:null|stdout)$|^-$/.test(textOf(at.value) ?? ''))
      doings.push({ do: 'path', act: 'write', at, content })
  }
  const toFile = outputs.length > 0
  doings.push({
    do: 'out',
    content: toFile || parsed.flags.has('-I') ? { text: unknown('substitution'), taints: [] } : content,
  })
  return doings
}

/** Whether an address says a secret to whoever answers it. */
const tellsSecret = (url: Arg): boolean => prefixOf(url.value).includes('?') && taintsOf(url.value).includes('secret')

/** The file behind a `file:` address. */
function localFile(url: Arg): readonly Arg[] {
  const scheme = /^file:(?:\/\/(?:localhost)?)?(?=\/)/i.exec(prefixOf(url.value))?.[0]
  return scheme === undefined ? [] : [cutArg(url, scheme.length)]
}

/** Where the content of local files goes. */
const kept = (parsed: Parsed, files: readonly Arg[]): readonly Doing[] => {
  const content = fromFiles(files)
  const outputs = outputsOf(parsed, files)
  return outputs.length > 0
    ? outputs.map((at): Doing => ({ do: 'path', act: 'write', at, content }))
    : [{ do: 'out', content }]
}

/** Files that the answers of curl come into: by name, or by the end of their addresses, in the directory for all of them. */
function outputsOf(parsed: Parsed, urls: readonly Arg[]): readonly Arg[] {
  const dir = all(parsed, '--output-dir').at(-1)
  const names = [
    ...all(parsed, '-o'),
    ...(parsed.flags.has('-O') || parsed.flags.has('--remote-name-all') ? urls.map(named) : []),
  ]
  return dir === undefined
    ? names
    : names.map((at) =>
        textOf(at.value) === '-' ? at : { ...at, value: concat(concat(dir.value, exact('/')), at.value) },
      )
}

/** `%output{FILE}` and `%output{>>FILE}` in the text that curl prints at the end. */
const writtenOut = (arg: Arg): readonly Doing[] =>
  [...prefixOf(arg.value).matchAll(/%output\{(>>)?([^}]+)\}/g)].map(([, more, path]) => ({
    do: 'path',
    act: more === undefined ? 'write' : 'append',
    at: { ...arg, value: exact(path!) },
  }))

const LOCAL_ANSWER: Content = { text: unknown('substitution'), taints: [] }

/** The file in `@file`, `name=@file`, `name=<file`. */
function uploaded(arg: Arg, option: string): Arg | undefined {
  const text = prefixOf(arg.value)
  const match =
    option === '-F'
      ? /^[^=@<]*=[@<]/.exec(text)
      : option === '--data-urlencode'
        ? /^[^=@]*@/.exec(text)
        : /^@/.exec(text)
  if (!match) return undefined
  const rest = text.slice(match[0].length)
  const path = option === '-F' ? rest.replace(/;.*$/s, '').replace(/^"(.*)"$/, '$1') : rest
  if (arg.value.is === 'exact') return { ...arg, value: exact(path) }
  if (arg.value.is === 'partly')
    return {
      ...arg,
      value: rest === '' && arg.value.suffix === '' ? unknown(arg.value.why) : { ...arg.value, prefix: rest },
    }
  return { ...arg, value: unknown('variable') }
}

/** The file that `-O` makes of an address. */
function named(url: Arg): Arg {
  const text = textOf(url.value)?.replace(/[?#].*$/s, '')
  const name = text?.slice(text.lastIndexOf('/') + 1)
  return { ...url, value: name === undefined || name === '' ? unknown('variable') : exact(name) }
}

const WGET =
  '-O|--output-document:write -P|--directory-prefix: -o|--output-file:write -a|--append-output:append -q|--quiet -nv|--no-verbose -c|--continue -N|--timestamping -r|--recursive -l|--level: -np|--no-parent -k -p -A|--accept: -R|--reject: --post-file: --post-data: --body-file: --body-data: --method: --header: --user: --password: -U|--user-agent: -T|--timeout: -t|--tries: -i|--input-file:read --spider -S --no-check-certificate --load-cookies:read --save-cookies:write --use-askpass: --certificate:names --private-key:names -e|--execute: -nc|--no-clobber -nd -x -m|--mirror -b'

let wgetSpec: Specification | undefined

function* wget(call: Invocation): ReturnType<Reader> {
  wgetSpec ??= specify(WGET)
  const parsed = parseArgs(wgetSpec, call.args)
  if (parsed.flags.has('--help') || parsed.flags.has('--version') || parsed.flags.has('-V') || parsed.flags.has('-h'))
    return []
  const doings: Doing[] = []
  for (const at of all(parsed, '-a')) doings.push({ do: 'path', act: 'append', at })
  const to = parsed.operands[0]?.value ?? unknown('variable')
  if (
    textOf(all(parsed, '--method').at(-1)?.value)?.toUpperCase() === 'DELETE' &&
    !parsed.operands.every((url) => isHere(url.value))
  )
    doings.push({ do: 'other', act: 'change', service: 'http', what: `DELETE ${showValue(to)}`, note: 'http-delete' })
  for (const at of all(parsed, '--use-askpass'))
    doings.push({ do: 'code', language: 'sh', text: at.value, label: 'askpass' })
  const files = [...all(parsed, '--post-file'), ...all(parsed, '--body-file')]
  const texts = [...all(parsed, '--post-data'), ...all(parsed, '--body-data')].map((arg) => arg.value)
  if (files.length > 0 || texts.length > 0) doings.push({ do: 'send', to, files, texts })
  else
    doings.push(...parsed.operands.filter(tellsSecret).map((url): Doing => ({ do: 'send', to: url.value, files: [] })))
  for (const option of ['-o', '--save-cookies'])
    for (const at of all(parsed, option)) doings.push({ do: 'path', act: 'write', at })
  for (const at of all(parsed, '-i')) doings.push({ do: 'path', act: 'read', at })
  const content =
    parsed.operands.length > 0 && parsed.operands.every((url) => isHere(url.value)) ? LOCAL_ANSWER : REMOTE
  if (parsed.flags.has('--spider')) return doings
  const outputs = all(parsed, '-O')
  const toStdout = outputs.some((at) => textOf(at.value) === '-' || textOf(at.value) === '/dev/stdout')
  if (toStdout) doings.push({ do: 'out', content })
  else if (outputs.length > 0) for (const at of outputs) doings.push({ do: 'path', act: 'write', at, content })
  else if (parsed.flags.has('-r') || parsed.flags.has('-m'))
    doings.push({
      do: 'path',
      act: 'create',
      at: all(parsed, '-P')[0] ?? { value: exact('.'), span: call.command.span },
      tree: true,
    })
  else {
    const dir = all(parsed, '-P')[0]
    for (const url of parsed.operands) {
      const at = named(url)
      // wget never replaces a file of that name: it adds a number.
      doings.push({
        do: 'path',
        act: 'create',
        at: dir ? { ...at, value: concat(concat(dir.value, exact('/')), at.value) } : at,
        content,
      })
    }
  }
  return doings
}

/** `nc`: `-e` hands a program to whoever connects; stdin goes out. */
function* netcat(call: Invocation): ReturnType<Reader> {
  const parsed = parseArgs(
    specify(
      '-e|--exec: -c|--sh-exec: -l|--listen -p: -s: -w: -q: -i: -z -v -n -u -k -U -X: -x: -N -4 -6 -o: -g: -G: --ssl --lua-exec:',
    ),
    call.args,
  )
  const doings: Doing[] = []
  const host = parsed.operands[0]
  if (
    parsed.values.has('-e') ||
    (parsed.values.has('-c') &&
      (call.base !== 'nc' || all(parsed, '-c').some((arg) => /[ /]|^(?:ba|da|z)?sh$/.test(prefixOf(arg.value)))))
  )
    doings.push({
      do: 'other',
      act: 'system',
      service: call.base,
      what: `a shell for ${showValue(host?.value ?? exact('whoever connects'))}`,
      note: 'shell',
    })
  if (parsed.flags.has('-z')) return doings
  if (call.stdin.none !== true && host !== undefined && !parsed.flags.has('-l'))
    doings.push({ do: 'send', to: host.value, files: [], content: call.stdin })
  doings.push({ do: 'out', content: host !== undefined && isHere(host.value) ? LOCAL_ANSWER : REMOTE })
  return doings
}

function* socat(call: Invocation): ReturnType<Reader> {
  const words = call.args.map((arg) => textOf(arg.value) ?? '')
  const shell =
    words.some((word) => /^(?:EXEC|SYSTEM):/i.test(word)) &&
    words.some((word) => /^(?:TCP|UDP|OPENSSL|SSL|SCTP)/i.test(word))
  const doings: Doing[] = []
  if (shell)
    doings.push({ do: 'other', act: 'system', service: 'socat', what: 'a program for another machine', note: 'shell' })
  const addresses = words.flatMap((word, i) => (word.startsWith('-') && word !== '-' ? [] : [i]))
  for (const [i, word] of words.entries()) {
    const program = /^(?:EXEC|SYSTEM|SHELL):(.+)$/is.exec(word)?.[1]
    if (program !== undefined)
      doings.push({ do: 'code', language: 'sh', text: exact(program.replace(/^"|"$/g, '')), label: 'socat' })
    const file = /^(?:FILE|OPEN|CREATE|GOPEN):([^,]+)/i.exec(word)?.[1]
    if (file) {
      const at = { ...call.args[i]!, value: exact(file) }
      const written = i === addresses[1] || /,(?:trunc|append|wronly)/i.test(word)
      // What is only opened is not made where it is absent, and is kept but for what is written.
      const makes = /^(?:CREATE|GOPEN)|,(?:creat|trunc)/i.test(word)
      doings.push({ do: 'path', act: makes ? 'write' : written ? 'edit' : 'read', at })
    }
  }
  return doings
}

/** `aria2c`, `axel`: a file named like the address, or by `-o`. */
function* aria(call: Invocation): ReturnType<Reader> {
  const parsed = parseArgs(
    specify(
      '-o|--out|--output: -d|--dir: -i|--input-file:read -x: -s: -n: -k: -j: -q -c -a -v --on-download-complete:',
    ),
    call.args,
  )
  const dir = all(parsed, '-d').at(-1)
  const names = all(parsed, '-o')
  const targets = names.length > 0 ? names : parsed.operands.map(named)
  return [
    ...all(parsed, '-i').map((at): Doing => ({ do: 'path', act: 'read', at })),
    ...all(parsed, '--on-download-complete').map((path): Doing => ({ do: 'script', path, args: [] })),
    ...targets.map(
      (at): Doing => ({
        do: 'path',
        act: 'write',
        at: dir ? { ...at, value: concat(concat(dir.value, exact('/')), at.value) } : at,
        content: REMOTE,
      }),
    ),
  ]
}

/** HTTPie: `name@file`, `name=@file`, `@file` are sent; `-o` keeps the answer. */
function* httpie(call: Invocation): ReturnType<Reader> {
  const parsed = parseArgs(
    specify(
      '-o|--output: -d|--download -f|--form -j -a|--auth: -A|--auth-type: -h|--headers -b|--body -v|--verbose --session: -p|--print: -s|--style: --timeout: --proxy: --verify: --cert:names --cert-key:names -c|--continue --raw: -m|--multipart --ignore-stdin -I',
    ),
    call.args,
  )
  const words = parsed.operands
  const method = /^[A-Z]+$/.test(textOf(words[0]?.value) ?? '') ? textOf(words[0]?.value) : undefined
  const url = words[method === undefined ? 0 : 1]
  if (url === undefined) return []
  const here = isHere(url.value) || prefixOf(url.value).startsWith(':')
  const items = words.slice(method === undefined ? 1 : 2)
  // `name=text` and `name:=json` are what is sent; `name==text` and `name:text` are not.
  const fields = items.filter((arg) => /^[^=:@]*:?=(?!=)/.test(prefixOf(arg.value)))
  const texts = [...fields, ...all(parsed, '--raw')].map((arg) => arg.value)
  const files = items.flatMap((arg) => {
    const mark = /^[^=:@]*(?::?=)?@/.exec(prefixOf(arg.value))?.[0]
    return mark === undefined ? [] : [cutArg(arg, mark.length)]
  })
  const doings: Doing[] = []
  if (files.length > 0 || texts.length > 0 || call.stdin.none !== true)
    doings.push({ do: 'send', to: url.value, files, texts, ...(call.stdin.none ? {} : { content: call.stdin }) })
  if (method === 'DELETE' && !here)
    doings.push({
      do: 'other',
      act: 'change',
      service: 'http',
      what: `DELETE ${showValue(url.value)}`,
      note: 'http-delete',
    })
  const content = here ? LOCAL_ANSWER : REMOTE
  const outputs = all(parsed, '-o')
  if (outputs.length === 0) return [...doings, { do: 'out', content }]
  return [...doings, ...outputs.map((at): Doing => ({ do: 'path', act: 'write', at, content }))]
}

/** Programs that look a name up: whoever answers for it sees the name. */
function* looksUp(call: Invocation): ReturnType<Reader> {
  return call.args
    .filter((arg) => taintsOf(arg.value).includes('secret'))
    .map((arg): Doing => ({ do: 'send', to: arg.value, files: [], texts: [arg.value] }))
}

export const network: Group = {
  id: 'network',
  rows: [
    {
      names: 'nmap',
      options:
        '-oN:write -oX:write -oG:write -oS:write -oA: -iL:read -p: -e: -S: -D: -g: -T? --script: --script-args: --exclude: --excludefile:read --resume:edit --stylesheet:',
      operands: 'skip…',
      single: true,
      why: 'looks at the network; -o and a letter names a report',
    },
    {
      names: 'ss netstat arp ip ifconfig route iwconfig nmcli hostname dnsdomainname getent',
      why: 'tells of the network; what it changes needs root and is asked for by sudo users alone',
    },
    {
      names: 'ssh-keygen',
      // An existing key is replaced only where somebody says yes, or changed with -p.
      options: '-f:create -t: -b: -C: -N: -P: -l -y -R: -F: -E: -p -q',
      why: 'makes keys where none are; asks before it replaces one',
    },
    {
      names: 'ssh-add ssh-copy-id ssh-keyscan',
      options: '-l -L -D -d -K -t: -i: -p: -H',
      why: 'keys of the agent; public keys',
    },
    { names: 'telnet', why: 'interactive: what is typed is not on the line' },
  ],
  readers: {
    curl,
    'wget wget2': wget,
    'nc ncat netcat': netcat,
    socat,
    scp,
    rclone,
    'ping ping6 traceroute tracepath mtr dig nslookup host whois': looksUp,
    'sftp ftp lftp': ftp,
    'aria2c axel': aria,
    'http https xh': httpie,
  },
}
