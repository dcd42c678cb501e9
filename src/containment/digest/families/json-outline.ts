/** What a JSON document holds: its arrays with what their elements are like, and the scalars beside them. */
import { type At, type Cell, Census } from './census.ts'
import { CUT, type Scalar, type Watcher } from './json-scan.ts'

/** Arrays of elements that are told apart by their path. */
const GROUPS = 24
/** Members of the document up to which the values in it are worth showing. */
const BESIDE = 16
/** Values beside the arrays that are held. */
const SCALARS = 48
/** Fields of one element that are looked at. */
const FIELDS = 48
/** Members from which an object is a list. */
const MEMBERS = 20
/** Levels of objects in an element whose fields are its own. */
const LEVELS = 4

/** The arrays that stand at the same path, whatever the elements around them. */
export interface Group {
  /** A pointer with a mark for every element. */
  readonly path: string
  /** RFC 6901, of the first such array. */
  readonly pointer: string
  /** Arrays that stand in elements of other arrays have no one pointer. */
  readonly inner: boolean
  readonly census: Census
  arrays: number
  elements: number
  first: At | undefined
}

const group = (path: string, pointer: string, inner: boolean): Group => ({
  path,
  pointer,
  inner,
  census: new Census(),
  arrays: 1,
  elements: 0,
  first: undefined,
})

export interface Beside {
  readonly value: Scalar
  readonly at: At
  readonly depth: number
}

interface Frame {
  readonly is: 'array' | 'object'
  readonly key: string | undefined
  readonly from: number
  readonly line: number
  /** A pointer with a mark for every element. */
  readonly path: string
  /** In front of the names of its fields, where it lies in an element; of an array nothing. */
  readonly prefix: string
  /** Of an array: how many elements came. */
  index: number
  readonly group: Group | undefined
  /** Of an array: fields of the element that is open. */
  cells: Cell[]
  /** Members of an object. */
  members: number
}

/** No name of a member reads like this: behind a slash there is always the name. */
const ELEMENT = '*'

/** A name as a step of a pointer (RFC 6901). */
const pointed = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`

export class JsonOutline implements Watcher {
  readonly groups = new Map<string, Group>()
  /** The documents themselves, where there are several. */
  readonly roots: Group = group('', '', false)
  #rootCells: Cell[] = []
  readonly beside: Beside[] = []
  readonly #stack: Frame[] = []
  values = 0
  /** Objects with many members, which serve as lists with names. */
  readonly objects: { readonly pointer: string; readonly members: number }[] = []

  open(is: 'array' | 'object', key: string | undefined, from: number, line: number): void {
    const parent = this.#stack.at(-1)
    this.#member(parent)
    const path = parent === undefined ? '' : parent.path + (parent.is === 'array' ? ELEMENT : pointed(key!))
    const prefix = is === 'array' || parent === undefined || parent.is === 'array' ? '' : `${parent.prefix}${key}.`
    const own = is === 'array' ? this.#group(path, key) : undefined
    this.#stack.push({ is, key, from, line, path, prefix, index: 0, group: own, cells: [], members: 0 })
  }

  close(is: 'array' | 'object', to: number, line: number): void {
    const frame = this.#stack.pop()!
    const parent = this.#stack.at(-1)
    if (is === 'object' && frame.members >= MEMBERS && this.objects.length < GROUPS && !this.#inArray()) {
      const pointer = this.#pointer(frame.key)
      if (!pointer.includes(CUT)) this.objects.push({ pointer, members: frame.members })
    }
    if (parent === undefined) {
      const at = { span: { from: frame.line, to: line }, bytes: { from: frame.from, to } }
      this.roots.elements++
      this.roots.first ??= at
      this.roots.census.add(this.#rootCells, at)
      this.#rootCells = []
    } else if (parent.is === 'array') {
      const at = { span: { from: frame.line, to: line }, bytes: { from: frame.from, to } }
      this.#element(parent, { ...at, index: parent.index })
    } else if (is === 'array') {
      // Inside an element an array is a field: its length.
      this.#field(`${parent.prefix}${frame.key}[]`, `${frame.index}`, undefined)
    }
  }

  scalar(value: Scalar, key: string | undefined, start: number): void {
    this.values++
    const parent = this.#stack.at(-1)
    this.#member(parent)
    const at = { span: { from: value.line, to: value.line }, bytes: { from: start, to: value.to } }
    if (parent?.is === 'array') {
      parent.cells.push({ column: '', text: value.text, at })
      this.#element(parent, at)
      return
    }
    if (parent !== undefined) this.#field(parent.prefix === '' ? key! : parent.prefix + key, value.text, at)
    // Of a list with names, or of many documents, each value would be one of many.
    const few = this.roots.elements === 0 && (this.#stack[0]?.members ?? 0) <= BESIDE
    if (few && this.beside.length < SCALARS && !this.#inArray())
      this.beside.push({ value, at, depth: this.#stack.length })
  }

  #inArray(): boolean {
    return this.#stack.some(({ is }) => is === 'array')
  }

  #pointer(key: string | undefined): string {
    return [...this.#stack.map((frame) => frame.key), key]
      .map((name) => (name === undefined ? '' : pointed(name)))
      .join('')
  }

  #member(parent: Frame | undefined): void {
    if (parent === undefined) return
    if (parent.is === 'object') parent.members++
  }

  #element(array: Frame, at: At): void {
    array.index++
    const { group } = array
    if (group === undefined) return
    group.elements++
    group.first ??= at
    group.census.add(array.cells, at)
    array.cells = []
  }

  /** Adds a field to the element of the innermost array, when it is near enough to it. */
  #field(column: string, text: string, at: At | undefined): void {
    for (let i = this.#stack.length - 1; i >= 0; i--) {
      const frame = this.#stack[i]!
      if (frame.is !== 'array') continue
      if (this.#stack.length - i <= LEVELS + 1 && frame.cells.length < FIELDS)
        frame.cells.push({ column, text, ...(at === undefined ? {} : { at }) })
      return
    }
    if (this.#stack.length <= LEVELS && this.#rootCells.length < FIELDS)
      this.#rootCells.push({ column, text, ...(at === undefined ? {} : { at }) })
  }

  #group(path: string, key: string | undefined): Group | undefined {
    const there = this.groups.get(path)
    if (there !== undefined) {
      there.arrays++
      return there
    }
    if (this.groups.size >= GROUPS) return undefined
    const steps = [
      ...this.#stack.slice(1).map((frame, at) => this.#step(at, frame.key)),
      ...(this.#stack.length > 0 ? [this.#step(this.#stack.length - 1, key)] : []),
    ]
    // A name that was cut leads nowhere.
    const inner = this.#inArray() || steps.some((step) => step.endsWith(CUT))
    const made = group(path, steps.map(pointed).join(''), inner)
    this.groups.set(path, made)
    return made
  }

  /** What leads from the frame at `at` one level down. */
  #step(at: number, key: string | undefined): string {
    const frame = this.#stack[at]!
    return frame.is === 'array' ? `${frame.index}` : (key ?? '')
  }
}
