/** States of an abstract shell: what joins keep, and that a fork changes nothing of its origin. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { exact, textsOf, unknown, type Value } from '../core/value.ts'
import { become, fork, join, type Machine, newMachine, variableFor } from './machine.ts'

const body = (source: string) => ({ body: { is: 'group' } as never, source })
const machine = (change: (m: Machine) => void = () => {}): Machine => {
  const m = newMachine(['/a'])
  change(m)
  return m
}

describe('a fork', () => {
  test('shares nothing that can change', () => {
    const m = machine((one) => {
      one.vars.set('x', exact('1'))
      one.functions.set('f', [body('f')])
      one.aliases.set('l', ['ls'])
      one.traps.set('EXIT', [{ text: exact('a'), source: '' }])
      one.exported.set('x', true)
      one.stack.push(['/b'])
    })
    const before = structuredClone(m)
    const child = fork(m)
    child.vars.set('x', exact('2'))
    child.functions.delete('f')
    child.aliases.clear()
    child.traps.clear()
    child.exported.clear()
    child.stack.pop()
    child.cwd = []
    child.gone = true
    assert.deepEqual(m, before)
  })
})

describe('a join', () => {
  test('of one state is that state, of none is none', () => {
    const m = machine()
    assert.equal(join(m, undefined), m)
    assert.equal(join(undefined, m), m)
    assert.equal(join(undefined, undefined), undefined)
  })

  test('keeps what both ways agree on', () => {
    const value = exact('1')
    const m = join(
      machine((one) => one.vars.set('x', value)),
      machine((one) => one.vars.set('x', value)),
    )!
    assert.equal(m.vars.get('x'), value)
    assert.deepEqual(m.cwd, ['/a'])
  })

  test('holds every text that a variable may be', () => {
    const texts = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(texts, (all) => {
        const ends = all.map((text) => machine((one) => one.vars.set('x', exact(text))))
        const m = ends.reduce<Machine | undefined>((a, b) => join(a, b), undefined)!
        assert.deepEqual([...textsOf(m.vars.get('x') as Value)!].sort(), [...all].sort())
      }),
    )
  })

  test('does not know a variable that only one way set, or took away', () => {
    for (const other of [undefined, 'unset'] as const) {
      const m = join(
        machine((one) => one.vars.set('x', exact('1'))),
        machine((one) => other && one.vars.set('x', other)),
      )!
      assert.equal((m.vars.get('x') as Value).is, 'unknown')
    }
  })

  test('is in any of the places, and anywhere where one way may be anywhere or they are too many', () => {
    const at = (...cwd: string[]) => machine((one) => (one.cwd = cwd))
    assert.deepEqual(join(at('/a'), at('/b'))!.cwd, ['/a', '/b'])
    assert.deepEqual(join(at('/a'), at())!.cwd, [])
    const many = Array.from({ length: 9 }, (_, i) => at(`/${i}`))
    assert.deepEqual(many.reduce<Machine | undefined>((a, b) => join(a, b), undefined)!.cwd, [])
  })

  test('goes on with the way that is not over, whatever the other one set', () => {
    const m = join(
      machine((one) => {
        one.gone = true
        one.vars.set('x', exact('1'))
      }),
      machine((one) => one.vars.set('x', exact('2'))),
    )!
    assert.equal(m.gone, false)
    assert.deepEqual(m.vars.get('x'), exact('2'))
  })

  test('keeps every definition of a function and of an alias, and that there may be none', () => {
    const [f, g] = [body('f'), body('g')]
    const define = (one: typeof f | undefined) => machine((m) => one && m.functions.set('f', [one]))
    assert.deepEqual(new Set(join(define(f), define(g))!.functions.get('f')), new Set([f, g]))
    assert.deepEqual(new Set(join(define(f), define(undefined))!.functions.get('f')), new Set([f, 'none']))
    assert.deepEqual(new Set(join(define(undefined), define(g))!.functions.get('f')), new Set([g, 'none']))
    const alias = (text: string) => machine((m) => m.aliases.set('l', [text]))
    assert.deepEqual(new Set(join(alias('a'), alias('b'))!.aliases.get('l')), new Set(['a', 'b']))
  })

  test('knows for sure only what both ways export', () => {
    const exporting = (...names: string[]) => machine((m) => names.map((name) => m.exported.set(name, true)))
    const { exported } = join(exporting('both', 'one'), exporting('both'))!
    assert.deepEqual([...exported].sort(), [
      ['both', true],
      ['one', false],
    ])
  })

  test('stops at failures only where both ways do', () => {
    const strict = machine((m) => (m.errexit = true))
    assert.equal(join(strict, machine())!.errexit, false)
    assert.equal(join(strict, fork(strict))!.errexit, true)
  })
})

describe('a trap that one branch set', () => {
  const trapped = (value: Value) =>
    machine((m) => {
      m.vars.set('x', value)
      m.traps.set('EXIT', [{ text: exact('rm $x'), source: '' }])
    })

  test('has the value of its branch', () => {
    const m = join(trapped(exact('1')), machine())!
    const [trap] = m.traps.get('EXIT')!
    assert.deepEqual(variableFor(trap!, 'x', m.vars.get('x')!), exact('1'))
  })

  test('has it after further joins', () => {
    const first = join(trapped(exact('1')), machine())!
    const second = join(first, machine())!
    const [trap] = second.traps.get('EXIT')!
    assert.deepEqual(variableFor(trap!, 'x', second.vars.get('x')!), exact('1'))
  })

  test('has what the variable was set to since', () => {
    const m = join(trapped(exact('1')), machine())!
    m.vars.set('x', exact('2'))
    const [trap] = m.traps.get('EXIT')!
    assert.deepEqual(variableFor(trap!, 'x', m.vars.get('x')!), exact('2'))
    m.vars.set('x', unknown('variable'))
    assert.equal((variableFor(trap!, 'x', m.vars.get('x')!) as Value).is, 'unknown')
  })

  test('stands beside that of the other branch', () => {
    const other = machine((m) => m.traps.set('EXIT', [{ text: exact('ls'), source: '' }]))
    const texts = join(trapped(exact('1')), other)!
      .traps.get('EXIT')!
      .map(({ text }) => text)
    assert.deepEqual(texts, [exact('rm $x'), exact('ls')])
  })
})

test('become takes everything over', () => {
  const m = machine()
  const other = machine((one) => {
    one.cwd = ['/z']
    one.gone = true
  })
  become(m, other)
  assert.deepEqual(m, other)
})
