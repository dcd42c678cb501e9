import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type Entry, packed, tarOf } from './archive.testing.ts'
import { readArchive } from './archive.ts'
import {
  COMPANION,
  companionSource,
  compareVersions,
  installCompanion,
  knownTrees,
  stagedCompanion,
} from './companion.ts'
import { OWN_NAME, ownRoot, placesOf } from './plugin-root.ts'
import { treeDigest } from './tree.ts'

let scratch: string
before(() => {
  scratch = mkdtempSync(join(tmpdir(), 'companion-'))
})
after(() => rmSync(scratch, { recursive: true, force: true }))

let count = 0
const freshDir = (): string => {
  const dir = join(scratch, `d${count++}`)
  mkdirSync(dir)
  return dir
}

const NOW = new Date('2026-11-30T00:00:00Z')
const sha = (bytes: Uint8Array): string => createHash('sha512').update(bytes).digest('hex')

function entriesOf(version: string, contract: unknown = 1, more: readonly Entry[] = []): readonly Entry[] {
  const plugin = { name: COMPANION, version, ...(contract === undefined ? {} : { adlcContract: contract }) }
  return [
    { path: 'package/package.json', content: JSON.stringify({ name: '@adlc/antigravity', version }) },
    { path: 'package/plugin.json', content: JSON.stringify(plugin) },
    { path: 'package/hooks.json', content: '{}' },
    { path: 'package/skills/', type: '5' },
    { path: 'package/skills/adlc/SKILL.md', content: 'Read this.\n' },
    { path: 'package/bin/run.sh', content: '#!/bin/sh\n', mode: 0o755 },
    ...more,
  ]
}

describe('reading an archive', () => {
  const refused: readonly [string, Buffer, RegExp][] = [
    ['a link', packed([{ path: 'package/a', type: '2', link: '/etc/passwd' }]), /no plain file/],
    ['a hard link', packed([{ path: 'package/a', type: '1', link: 'package/b' }]), /no plain file/],
    ['a device', packed([{ path: 'package/a', type: '3' }]), /no plain file/],
    ['a pipe', packed([{ path: 'package/a', type: '6' }]), /no plain file/],
    ['a path upwards', packed([{ path: 'package/../../x', content: 'x' }]), /unsafe path/],
    ['an absolute path', packed([{ path: '/etc/x', content: 'x' }]), /unsafe path/],
    ['an empty part', packed([{ path: 'package//x', content: 'x' }]), /unsafe path/],
    ['a backslash', packed([{ path: 'package/..\\x', content: 'x' }]), /unsafe path/],
    ['a drive', packed([{ path: 'package/C:x', content: 'x' }]), /unsafe path/],
    ['a control character', packed([{ path: 'package/a\nb', content: 'x' }]), /unsafe path/],
    ['a file beside the directory', packed([{ path: 'x', content: 'x' }]), /outside its directory/],
    ['a directory upwards', packed([{ path: 'package/../..', type: '5' }]), /unsafe path/],
    ['two files of one name', packed([{ path: 'package/a' }, { path: 'package/a' }]), /two files/],
    ['names that fold together', packed([{ path: 'package/Hooks.json' }, { path: 'package/hooks.json' }]), /two files/],
    ['a file as a directory', packed([{ path: 'package/a' }, { path: 'package/a/b' }]), /in the place of a directory/],
    [
      'an upward path in an extended header',
      packed([pax('path=package/../../x'), { path: 'package/x' }]),
      /unsafe path/,
    ],
    [
      'a link path in an extended header',
      packed([pax('linkpath=/etc/passwd'), { path: 'package/x' }]),
      /no plain file/,
    ],
    [
      'an upward long name',
      packed([{ path: '././@LongLink', type: 'L', content: 'package/../../x' }, { path: 'package/x' }]),
      /unsafe path/,
    ],
    ['no gzip', Buffer.from('plain'), /no gzip/],
    [
      'an end in the middle',
      gzipSync(tarOf([{ path: 'package/a', content: 'x'.repeat(600) }]).subarray(0, 700)),
      /ends in the middle/,
    ],
    ['no end', gzipSync(tarOf([{ path: 'package/a', content: 'x' }]).subarray(0, 1024)), /ends in the middle/],
    ['a wrong sum', gzipSync(spoiled(tarOf([{ path: 'package/a', content: 'x' }]))), /sum/],
    ['more bytes than any plugin', gzipSync(Buffer.alloc(65 * 1024 * 1024)), /larger/],
    [
      'more entries than any plugin',
      packed(Array.from({ length: 10_001 }, (_, i) => ({ path: `package/${i}` }))),
      /too many/,
    ],
  ]
  for (const [name, archive, why] of refused)
    test(`refuses ${name}`, () => {
      assert.throws(() => readArchive(archive), why)
    })

  test('reads plain files, long names, and what may be executed', () => {
    const long = `package/${'d/'.repeat(60)}x`
    const entries: Entry[] = [
      ...entriesOf('1.7.0'),
      { path: '././@LongLink', type: 'L', content: `${long}\0` },
      { path: 'package/cut', content: 'long' },
      pax('path=package/é.md'),
      { path: 'package/e.md', content: 'e' },
    ]
    const files = readArchive(packed(entries))
    assert.deepEqual(
      files.map(({ path, executable }) => `${path}${executable ? '*' : ''}`),
      ['package.json', 'plugin.json', 'hooks.json', 'skills/adlc/SKILL.md', 'bin/run.sh*', long.slice(8), 'é.md'],
    )
    assert.equal(Buffer.from(files[3]!.bytes).toString(), 'Read this.\n')
  })
})

function pax(record: string): Entry {
  const length = record.length + 4
  return { path: 'PaxHeader', type: 'x', content: `${length} ${record}\n` }
}

function spoiled(tar: Buffer): Buffer {
  tar[0] = tar[0]! + 1
  return tar
}

describe('what is staged', () => {
  const rows: readonly [
    name: string,
    manifest: string | undefined,
    known: 'same' | 'other' | 'none',
    expected: string,
  ][] = [
    ['nothing', undefined, 'none', 'not-installed false install'],
    ['no JSON', '{', 'none', 'corrupt-manifest false fail'],
    ['null', 'null', 'none', 'corrupt-manifest false fail'],
    ['no version', '{}', 'none', 'corrupt-manifest false fail'],
    ['half a version', '{"version":"1.7"}', 'none', 'corrupt-manifest false fail'],
    ['an older one', '{"version":"1.6.9","adlcContract":1}', 'none', 'outdated-plugin false install'],
    [
      'a pre-release of the pinned one',
      '{"version":"1.7.0-rc.1","adlcContract":1}',
      'same',
      'outdated-plugin false install',
    ],
    ['the pinned one, changed', '{"version":"1.7.0","adlcContract":1}', 'other', 'corrupt-tree false reinstall'],
    [
      'the pinned one, changed, with another contract',
      '{"version":"1.7.0","adlcContract":2}',
      'other',
      'corrupt-tree false reinstall',
    ],
    ['the pinned one, unknown', '{"version":"1.7.0","adlcContract":1}', 'none', 'corrupt-tree false reinstall'],
    [
      'the pinned one with another contract',
      '{"version":"1.7.0","adlcContract":2}',
      'same',
      'incompatible-contract false reinstall',
    ],
    ['the pinned one without a contract', '{"version":"1.7.0"}', 'same', 'incompatible-contract false reinstall'],
    ['the pinned one', '{"version":"1.7.0","adlcContract":1}', 'same', 'compatible true keep'],
    ['a newer one', '{"version":"1.10.0","adlcContract":1}', 'none', 'compatible (newer-unpinned) true keep'],
    ['a newer one without a contract', '{"version":"2.0.0"}', 'none', 'tolerant (unconfirmed-contract) true keep'],
    [
      'a newer one with a contract that is no number',
      '{"version":"2.0.0","adlcContract":"1"}',
      'none',
      'tolerant (unconfirmed-contract) true keep',
    ],
    [
      'a newer one with another contract',
      '{"version":"2.0.0","adlcContract":2}',
      'none',
      'incompatible-contract false fail',
    ],
  ]
  for (const [name, manifest, known, expected] of rows)
    test(name, () => {
      const dir = freshDir()
      if (manifest !== undefined) writeFileSync(join(dir, 'plugin.json'), manifest)
      const version = /"version":"([^"]+)"/.exec(manifest ?? '')?.[1] ?? ''
      const digest = treeDigest(dir)
      const trees =
        known === 'none'
          ? {}
          : { [version]: known === 'same' ? digest : digest.replace(/^./, (c) => (c === '0' ? '1' : '0')) }
      const { state, ok, action } = stagedCompanion(dir, trees)
      assert.equal(`${state} ${ok} ${action}`, expected)
    })

  test('a digest sees contents, names, execution bits and links', () => {
    const dir = freshDir()
    const seen = new Set<string>()
    const step = (change: () => void) => {
      change()
      const digest = treeDigest(dir)
      assert.ok(!seen.has(digest))
      seen.add(digest)
    }
    step(() => writeFileSync(join(dir, 'a'), 'x'))
    step(() => writeFileSync(join(dir, 'a'), 'y'))
    step(() => writeFileSync(join(dir, 'b'), '', { mode: 0o755 }))
    step(() => chmodSync(join(dir, 'b'), 0o644))
    step(() => renameSync(join(dir, 'b'), join(dir, 'd')))
    step(() => symlinkSync('a', join(dir, 'c')))
    const before = treeDigest(dir)
    writeFileSync(join(dir, 'a'), 'y')
    assert.equal(treeDigest(dir), before)
  })

  test('versions are compared by number', () => {
    assert.ok(compareVersions('1.10.0', '1.9.9')! > 0)
    assert.equal(compareVersions('1.7.0+x', '1.7.0'), 0)
    assert.ok(compareVersions('1.7.0-rc.10', '1.7.0-rc.9')! > 0)
    assert.equal(compareVersions('v1.7.0', '1.7.0'), undefined)
  })
})

describe('installing the companion', () => {
  const others =
    '{"imports":[{"name":"other","source":"x","components":[]},{"name":"adlc-antigravity","source":"old"}],"more":1}'
  const stage = () => {
    const places = placesOf(freshDir())
    mkdirSync(places.plugins, { recursive: true })
    writeFileSync(places.imports, others)
    return places
  }
  const install = (bytes: Buffer, places = stage(), digest = sha(bytes)) =>
    installCompanion({ bytes, source: 'archive.tgz' }, digest, places, NOW)

  test('puts the tree in place and into the host’s list, and knows it again', () => {
    const places = stage()
    assert.equal(install(packed(entriesOf('1.7.0')), places).state, 'compatible')
    const dir = join(places.plugins, COMPANION)
    assert.equal(readFileSync(join(dir, 'skills/adlc/SKILL.md'), 'utf8'), 'Read this.\n')
    assert.equal(statSync(join(dir, 'bin/run.sh')).mode & 0o777, 0o755)
    assert.deepEqual(JSON.parse(readFileSync(places.imports, 'utf8')), {
      imports: [
        { name: 'other', source: 'x', components: [] },
        { name: COMPANION, source: 'archive.tgz', importedAt: NOW.toISOString(), components: ['skills', 'hooks'] },
      ],
      more: 1,
    })
    assert.equal(stagedCompanion(dir, knownTrees(places)).state, 'compatible')
    writeFileSync(join(dir, 'hooks.json'), '{"a":1}')
    assert.equal(stagedCompanion(dir, knownTrees(places)).state, 'corrupt-tree')
    assert.deepEqual(readdirSync(dirname(places.plugins)).sort(), ['import_manifest.json', 'plugins'])
  })

  test('takes the digest as lock files write it', () => {
    const bytes = packed(entriesOf('1.8.0'))
    const digest = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
    assert.equal(install(bytes, stage(), digest).state, 'compatible (newer-unpinned)')
  })

  const good = packed(entriesOf('1.7.0'))
  const refused: readonly [string, Buffer, string | undefined, RegExp][] = [
    ['another digest', good, sha(Buffer.from('x')), /tampered/],
    ['half a digest', good, sha(good).slice(0, 64), /--sha512/],
    ['no digest', good, '', /--sha512/],
    ['an unsafe archive', packed(entriesOf('1.7.0', 1, [{ path: 'package/../x' }])), undefined, /unsafe/],
    [
      'another plugin',
      packed([
        { path: 'package/plugin.json', content: '{"name":"x"}' },
        { path: 'package/package.json', content: '{}' },
      ]),
      undefined,
      /no adlc-antigravity/,
    ],
    ['no manifest', packed([{ path: 'package/x' }]), undefined, /plugin\.json/],
    [
      'versions that differ',
      packed([
        ...entriesOf('1.7.0').slice(1),
        { path: 'package/package.json', content: '{"name":"@adlc/antigravity","version":"1.8.0"}' },
      ]),
      undefined,
      /versions/,
    ],
    ['an older version', packed(entriesOf('1.6.0')), undefined, /outdated-plugin/],
    ['another contract', packed(entriesOf('1.7.0', 2)), undefined, /incompatible-contract/],
    ['a newer one with another contract', packed(entriesOf('1.9.0', 2)), undefined, /incompatible-contract/],
  ]
  for (const [name, bytes, digest, why] of refused)
    test(`refuses ${name}, and leaves what was there`, () => {
      const places = stage()
      const dir = join(places.plugins, COMPANION)
      mkdirSync(dir)
      writeFileSync(join(dir, 'plugin.json'), 'mine')
      assert.throws(() => install(bytes, places, digest), why)
      assert.equal(readFileSync(join(dir, 'plugin.json'), 'utf8'), 'mine')
      assert.equal(readFileSync(places.imports, 'utf8'), others)
      assert.deepEqual(readdirSync(dirname(places.plugins)).sort(), ['import_manifest.json', 'plugins'])
    })

  test('a list of imports that cannot be read is left as it is', () => {
    const places = stage()
    writeFileSync(places.imports, '{')
    assert.throws(() => install(good, places), /mend it first/)
    assert.equal(readFileSync(places.imports, 'utf8'), '{')
    assert.equal(existsSync(join(places.plugins, COMPANION)), false)
  })
})

describe('where the plugin and its companion lie', () => {
  const lay = (dir: string, name: string): string => {
    mkdirSync(dir, { recursive: true })
    writeFileSync(join(dir, 'plugin.json'), JSON.stringify({ name }))
    return dir
  }

  test('the own root is the nearest directory above with our name', () => {
    const root = lay(join(freshDir(), 'p'), OWN_NAME)
    const inner = lay(join(root, 'vendor'), 'another')
    writeFileSync(join(inner, 'x.mjs'), '')
    assert.equal(ownRoot(join(inner, 'x.mjs'), {}), root)
    assert.equal(ownRoot(join(inner, 'x.mjs'), { PLUGIN_ROOT: join(root, 'vendor', '..') }), root)
    assert.throws(() => ownRoot(join(inner, 'x.mjs'), { PLUGIN_ROOT: scratch }), /PLUGIN_ROOT/)
    assert.equal(
      ownRoot(join(lay(join(freshDir(), 'q'), 'antigravity-booster'), 'plugin.json'), {}).endsWith('/q'),
      true,
    )
  })

  test('without one there is no root', () => {
    const dir = lay(join(freshDir(), 'antigravity-booster'), 'antigravity-boosterish')
    assert.throws(() => ownRoot(join(dir, 'plugin.json'), {}), /belongs to no/)
  })

  test('the companion’s source: named, installed, beside; nowhere for a bundled build', () => {
    const base = freshDir()
    const root = lay(join(base, 'own'), OWN_NAME)
    const look = (env = {}, bundled = false) => companionSource({ root, env, bundled })
    assert.equal(look(), undefined)
    const sibling = lay(join(base, COMPANION), COMPANION)
    assert.equal(look(), sibling)
    const installed = lay(join(root, 'node_modules/@adlc/antigravity'), COMPANION)
    writeFileSync(join(installed, 'package.json'), '{"name":"@adlc/antigravity"}')
    assert.equal(look(), installed)
    const named = lay(join(base, 'elsewhere'), COMPANION)
    const env = { ADLC_ANTIGRAVITY_PLUGIN_PATH: named }
    assert.equal(look(env), installed)
    assert.equal(look({ ...env, AGB_DEV_ALLOW_UNVERIFIED_PLUGIN: '1' }), named)
    assert.equal(look({ ...env, AGB_DEV_ALLOW_UNVERIFIED_PLUGIN: '1' }, true), undefined)
  })
})
