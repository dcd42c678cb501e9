/** The readers of formats that several families share, each against another way of telling the same. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { makeOf } from './census.ts'
import { fieldsOf } from './csv.ts'
import { Frames } from './frames.ts'
import { GrepLines } from './grep-lines.ts'
import { Hunks } from './hunks.ts'
import { JsonOutline } from './json-outline.ts'
import { JsonScan, type Scalar } from './json-scan.ts'
import { ListingLines, sizeOf } from './listing-lines.ts'
import { attribute, Markup, type Piece, type Tag } from './markup.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Reads a text line by line, each line in parts of `size` bytes. */
function scan(text: string, scanner: JsonScan, size: number): void {
  let at = 0
  text.split('\n').forEach((line, index) => {
    const bytes = encode(line)
    for (let from = 0; from < bytes.length; from += size)
      scanner.read(bytes.subarray(from, from + size), at + from, index + 1)
    at += bytes.length
    scanner.endLine(at)
    at++
  })
}

/** All scalars of a value, in the order in which they are written. */
const scalarsOf = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(scalarsOf) : [value]

const indents = fc.constantFrom(undefined, 1, 2, '\t')

describe('JSON', () => {
  it('tells the scalars of any document with their places, however it is cut into parts', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), indents, fc.integer({ min: 1, max: 40 }), (value, indent, size) => {
        const text = JSON.stringify(value, undefined, indent)
        const bytes = encode(text)
        const found: Scalar[] = []
        const scanner = new JsonScan({ open: () => {}, close: () => {}, scalar: (scalar) => found.push(scalar) })
        scan(text, scanner, size)
        assert.ok(!scanner.wrong && !scanner.open, text)
        assert.equal(scanner.documents, 1)
        const written = found.map(
          ({ from, to }) => JSON.parse(new TextDecoder().decode(bytes.subarray(from, to))) as unknown,
        )
        assert.deepEqual(written, scalarsOf(JSON.parse(text)))
        for (const { from, line } of found)
          assert.equal(line, new TextDecoder().decode(bytes.subarray(0, from)).split('\n').length)
      }),
    )
  })

  it('a document that is cut is open or over, never wrong', () => {
    fc.assert(
      fc.property(
        fc.object({ maxDepth: 3 }),
        indents,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (value, indent, share) => {
          const text = JSON.stringify(value, undefined, indent)
          const cut = text.slice(0, 1 + Math.floor(share * (text.length - 1)))
          const scanner = new JsonScan(new JsonOutline())
          scan(cut, scanner, 7)
          assert.ok(!scanner.wrong, cut)
          assert.equal(scanner.open || scanner.documents === 1, true)
        },
      ),
    )
  })

  it('what is no JSON is found out', () => {
    for (const text of [
      '{"a" 1}',
      '{"a":1,}',
      '[1 2]',
      '{a:1}',
      '["x\ny"]',
      '[tru]',
      '[01]',
      '[1.]',
      '{"a":1]',
      '[nul]',
      '}',
    ] as const) {
      const scanner = new JsonScan(new JsonOutline())
      scan(text, scanner, 3)
      assert.ok(scanner.wrong, text)
    }
  })

  it('points at members whatever their names hold, and not at all where a name is cut', () => {
    const pointers = (value: unknown) => {
      const outline = new JsonOutline()
      scan(JSON.stringify(value), new JsonScan(outline), 5)
      return [...outline.groups.values()].map(({ pointer, inner }) => (inner ? undefined : pointer))
    }
    assert.deepEqual(pointers({ 'a"b': [1], 'é\\': [1], 'x~/': [1], '': [1] }), ['/a"b', '/é\\', '/x~0~1', '/'])
    assert.deepEqual(pointers({ 'a/b': [1], a: { b: [1] } }), ['/a~1b', '/a/b'])
    assert.deepEqual(pointers({ ['k'.repeat(300)]: [1] }), [undefined])
  })

  it('counts elements and members, and points at them', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ id: fc.integer(), of: fc.array(fc.string()) }), { minLength: 1 }),
        indents,
        (list, indent) => {
          const outline = new JsonOutline()
          const text = JSON.stringify({ 'a/b': { list } }, undefined, indent)
          scan(text, new JsonScan(outline), 9)
          const groups = [...outline.groups.values()]
          assert.deepEqual(
            groups.map(({ pointer, elements, inner }) => ({ pointer, elements, inner })),
            [
              { pointer: '/a~1b/list', elements: list.length, inner: false },
              { pointer: '/a~1b/list/0/of', elements: list.flatMap(({ of }) => of).length, inner: true },
            ],
          )
        },
      ),
    )
  })
})

describe('separated values', () => {
  it('gives back the fields that were written', () => {
    const field = fc.string({ unit: fc.constantFrom('a', ' ', ',', '"', '\t', 'é') })
    fc.assert(
      fc.property(fc.array(field, { minLength: 1 }), fc.boolean(), (fields, all) => {
        const line = fields
          .map((text) => (all || /[",]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text))
          .join(',')
        assert.deepEqual(fieldsOf(line, ',', false), { fields, open: false, wrong: false })
      }),
    )
  })

  it('tells a quoted field that goes on in the next line', () => {
    assert.deepEqual(fieldsOf('7,"one', ',', false), { fields: ['7', 'one'], open: true, wrong: false })
    assert.deepEqual(fieldsOf('two",x', ',', true), { fields: ['two', 'x'], open: false, wrong: false })
  })

  it('values that are made alike are the same', () => {
    for (const [a, b] of [
      ['12', '7'],
      ['1.5', '20.25'],
      ['node-7', 'node-12'],
      ['12:30:01', '7'],
      ['9f3cab1', '77aa01b'],
    ] as const)
      assert.equal(makeOf(a), makeOf(b), `${a} ${b}`)
    for (const [a, b] of [
      ['12', 'OVERFLOW'],
      ['ok', ''],
      ['ok', 'on hold, see 4471'],
      ['7', '-7'],
      ['a.b', 'a/b'],
    ] as const)
      assert.notEqual(makeOf(a), makeOf(b), `${a} ${b}`)
  })
})

describe('searches', () => {
  const path = fc.constantFrom(
    'src/a.ts',
    'a-7-b.ts',
    'icons/icon-12-a.svg',
    'x:3.txt',
    'two words.md',
    'v1.2-3-rc.log',
  )
  const words = fc.constantFrom('x', ': 12:30:45', '-3-', 'url=https://example.org:80/', '', 'a:7:b', '  --  ')

  it('numbered matches with context: every line is told apart, whatever it holds', () => {
    const block = fc.record({
      path,
      start: fc.integer({ min: 1, max: 900 }),
      lines: fc.array(fc.tuple(fc.boolean(), words), { minLength: 2, maxLength: 6 }),
    })
    fc.assert(
      fc.property(fc.array(block, { minLength: 1, maxLength: 5 }), (blocks) => {
        // A group holds at least one match.
        const groups = blocks.map((block) => ({
          ...block,
          lines: block.lines.map(([match, text], at) => [match || at === 0, text] as const),
        }))
        const lines = groups.flatMap(({ path, start, lines }, at) => [
          ...(at > 0 ? [{ is: 'separator', text: '--', path: '' }] : []),
          ...lines.map(([match, text], at) => {
            const mark = match ? ':' : '-'
            return { is: match ? 'match' : 'context', text: `${path}${mark}${start + at}${mark}${text}`, path }
          }),
        ])
        const reader = new GrepLines('numbered', true)
        lines.forEach(({ is, text, path }, at) => {
          const read = reader.read(text, lines[at + 1]?.text)
          assert.equal(read?.is, is, text)
          if (read?.is === 'match') assert.equal(read.path, path, text)
        })
      }),
    )
  })

  it('counts, headings, and what the program says itself', () => {
    const count = new GrepLines('count', false)
    assert.deepEqual(count.read('a:b.txt:12', undefined), { is: 'count', path: 'a:b.txt', count: 12 })
    const heading = new GrepLines('heading', false)
    assert.deepEqual(
      ['a.ts', '3:x', '4-y', '', 'b.ts'].map((text) => heading.read(text, undefined)?.is),
      ['path', 'match', 'context', 'separator', 'path'],
    )
    assert.deepEqual(count.read('grep: nope.txt: No such file or directory', undefined), { is: 'word', trouble: true })
    assert.deepEqual(count.read('grep: ./creds.bin: binary file matches', undefined), { is: 'word', trouble: false })
  })
})

describe('diffs', () => {
  it('counts lines of a hunk by its header, whatever they look like', () => {
    const text = fc.constantFrom('x', '', '-- a/b', '++ b/c', '@@ -1 +1 @@', 'diff --git a/x b/x', 'commit 0123456789')
    const line = fc.tuple(fc.constantFrom(' ', '+', '-'), text)
    fc.assert(
      fc.property(fc.array(fc.array(line, { minLength: 1 }), { minLength: 1, maxLength: 4 }), (files) => {
        const hunks = new Hunks()
        const read = (text: string) => hunks.read(text)
        for (const lines of files) {
          const old = lines.filter(([mark]) => mark !== '+').length
          const now = lines.filter(([mark]) => mark !== '-').length
          assert.deepEqual(
            ['diff --git a/f b/f', '--- a/f', '+++ b/f', `@@ -1,${old} +1,${now} @@ class A`].map(read),
            ['file', 'header', 'header', 'hunk'],
          )
          for (const [mark, text] of lines)
            assert.equal(read(mark + text), mark === '+' ? 'added' : mark === '-' ? 'removed' : 'context')
          assert.equal(hunks.open, false)
        }
      }),
    )
  })

  it('a merge has a column for each parent', () => {
    const hunks = new Hunks()
    const kinds = [
      'diff --cc f',
      'index 1234567,89abcde..fedcba9',
      '@@@ -1,2 -1,2 +1,3 @@@',
      '  same',
      '++both',
      ' -second',
      '+ first',
      '- gone',
    ].map((text) => hunks.read(text))
    assert.deepEqual(kinds, ['file', 'header', 'hunk', 'context', 'added', 'removed', 'added', 'removed'])
  })
})

describe('listings', () => {
  const CASES = [
    ['long', '-rw-r--r-- 1 dev dev  448 Jan  1 09:26 READ ME.md', 'READ ME.md', 448],
    ['long', 'lrwxrwxrwx 1 dev dev 4 Jan  1 2025 a -> b', 'a', 4],
    ['long', '  2215642      0 -rw-r--r--   1 dev  dev   17 Nov 30 12:44 assets/a b.svg', 'assets/a b.svg', 17],
    ['long', '-rw-r--r-- 1 dev dev 2.9K 2026-01-05 10:10 index.ts', 'index.ts', 2.9 * 1024],
    ['tree', '│   ├── [       5000]  big.csv', 'big.csv', 5000],
    ['tree', '    `-- src/link -> ../b', 'src/link -> ../b', undefined],
    ['sizes', '12K\tassets/data', 'assets/data', 12 * 1024],
    ['paths', '/home/dev/.config/two words', '/home/dev/.config/two words', undefined],
  ] as const
  for (const [form, text, name, size] of CASES)
    it(`${form}: ${text.trim()}`, () => {
      const read = new ListingLines(form).read(text)
      assert.ok(read?.is === 'entry')
      assert.deepEqual([read.name, read.size], [name, size])
      assert.equal(text.slice(read.at, read.at + name.length), name)
    })

  it('sizes with units', () => {
    assert.deepEqual(['17', '1.5M', '2G', '1,024'].map(sizeOf), [17, 1.5 * 1024 ** 2, 2 * 1024 ** 3, 1024])
  })
})

describe('markup', () => {
  const name = fc.constantFrom('div', 'p', 'testcase', 'h1')
  const value = fc.constantFrom('', 'a b', 'x > y', "it's", '1<2', 'é')
  const node: fc.Arbitrary<{ name: string; value: string; text: string }> = fc.record({
    name,
    value,
    text: fc.constantFrom('', 'word', 'two words', 'a &lt; b', 'ö'),
  })

  it('tells tags, attributes and text with their places, however it is cut into parts', () => {
    fc.assert(
      fc.property(
        fc.array(node, { minLength: 1 }),
        fc.integer({ min: 1, max: 30 }),
        fc.boolean(),
        (nodes, size, html) => {
          const text = nodes
            .map(({ name, value, text }) => `<!-- <p> --><${name} id="${value}">${text}</${name}>`)
            .join('')
          const bytes = encode(text)
          const tags: Tag[] = []
          const pieces: Piece[] = []
          const markup = new Markup({ tag: (tag) => tags.push(tag), text: (piece) => pieces.push(piece) }, html)
          for (let at = 0; at < bytes.length; at += size) markup.read(bytes.subarray(at, at + size), at, 1)
          markup.endLine()
          assert.ok(!markup.open)
          assert.deepEqual(
            tags.map(({ name, is }) => [name, is]),
            nodes.flatMap(({ name }) => [
              [name, 'open'],
              [name, 'close'],
            ]),
          )
          assert.deepEqual(
            tags.filter(({ is }) => is === 'open').map(({ attributes }) => attribute(attributes, 'id')),
            nodes.map(({ value }) => value),
          )
          const slice = ({ from, to }: { from: number; to: number }) =>
            new TextDecoder().decode(bytes.subarray(from, to))
          assert.deepEqual(
            pieces.map(slice),
            nodes.map(({ text }) => text).filter((text) => text !== ''),
          )
          assert.deepEqual(
            pieces.map(({ text }) => text),
            pieces.map(slice),
          )
          for (const tag of tags) assert.match(slice(tag), /^<\/?\w[\s\S]*>$/u)
        },
      ),
    )
  })

  it('scripts and character data are no markup', () => {
    const pieces: string[] = []
    const read = (text: string, html: boolean) => {
      pieces.length = 0
      const markup = new Markup({ tag: () => {}, text: ({ text }) => pieces.push(text) }, html)
      for (const line of text.split('\n')) {
        markup.read(encode(line), 0, 1)
        markup.endLine()
      }
      return [...pieces]
    }
    assert.deepEqual(read('<p>a</p><script>if (a<b) x("</p>")</script><p>b</p>', true), ['a', 'b'])
    assert.deepEqual(read('<a><![CDATA[x < y\nz ]]></a>', false), ['x < y', 'z'])
    assert.deepEqual(read('1 < 2 and <b>bold</b>', true), ['1', '< 2 and', 'bold'])
  })
})

describe('stack traces', () => {
  const kinds = (lines: readonly string[]) => {
    const frames = new Frames()
    return lines.map((text, at) => {
      const read = frames.read(text, lines[at + 1])
      return read === undefined ? '' : read.is === 'frame' && read.own ? 'own' : read.is
    })
  }

  it('tells own frames from those of libraries', () => {
    assert.deepEqual(
      kinds([
        'TypeError: x',
        '    at f (/home/dev/proj/a.js:1:2)',
        '    at g (/home/dev/proj/node_modules/b/c.js:1:2)',
        '    at node:internal/main:3:4',
        'done',
      ]),
      ['begin', 'own', 'frame', 'frame', ''],
    )
    assert.deepEqual(
      kinds([
        'Traceback (most recent call last):',
        '  File "/home/dev/a.py", line 3, in f',
        '    x()',
        '  File "/usr/lib/python3.11/json/a.py", line 1, in x',
        'ValueError: bad',
        'next',
      ]),
      ['begin', 'own', 'more', 'frame', 'raised', ''],
    )
    assert.deepEqual(
      kinds([
        'Exception in thread "main" a.B: x',
        '\tat java.base/java.util.X.y(X.java:1)',
        '\tat com.acme.C.d(C.java:4)',
        'Caused by: a.E: y',
        '\tat com.acme.F.g(F.java:7)',
        '\t... 3 more',
      ]),
      ['begin', 'frame', 'own', 'cause', 'own', 'more'],
    )
  })
})
