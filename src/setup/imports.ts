/** The host's list of installed plugins (`import_manifest.json`): entries of others stay as they are. */

export interface Import {
  readonly name: string
  readonly source: string
  readonly importedAt: string
  readonly components: readonly string[]
}

interface Manifest {
  readonly [key: string]: unknown
  readonly imports: readonly unknown[]
}

/** The list in a file's bytes; an empty one where there is no file. Throws where the file is not such a list. */
export function readImports(bytes: Uint8Array | undefined): Manifest {
  if (bytes === undefined) return { imports: [] }
  let read: unknown
  try {
    read = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new Error('import_manifest.json is no JSON; mend it first')
  }
  const { imports } = (read ?? {}) as { imports?: unknown }
  if (typeof read !== 'object' || Array.isArray(read) || !Array.isArray(imports ?? []))
    throw new Error('import_manifest.json has no list of imports; mend it first')
  return { ...(read as object), imports: (imports ?? []) as unknown[] }
}

export const withoutImport = (manifest: Manifest, names: readonly string[]): Manifest => ({
  ...manifest,
  imports: manifest.imports.filter((one) => !names.includes(String((one as { name?: unknown } | null)?.name))),
})

/** The file's new text. */
export const withImport = (manifest: Manifest, ...entries: readonly Import[]): string =>
  `${JSON.stringify({ ...manifest, imports: [...manifest.imports, ...entries] }, undefined, 2)}\n`
