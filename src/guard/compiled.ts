/** Programs that a line compiles before it runs them. */
import type { Content } from '../commands/doing.ts'
import { exact } from '../core/value.ts'
import type { By, Frame } from './engine.ts'

/** What a compiler writes is a program made of sources that are here: it says nothing that a shell would run. */
export const COMPILED: Content = { text: exact(''), taints: [] }

const COMPILERS =
  /(?:^|\/)(?:(?:(?:gcc|g\+\+|clang|clang\+\+)(?:-[\d.]+)?|cc|c\+\+|tcc|rustc|swiftc|ghc|ocamlopt|gfortran|ldc2|dmd)\s|(?:go|bun) build\s|deno compile\s|zig build-exe\s)/
/** Options with which a compiler writes text, or bytes of somebody's choice. */
const NO_PROGRAM = /\s-(?:E|S|M|emit|fsyntax|x\b)|--emit|format|objcopy|\$/

/** Whether the command that writes is a compiler that makes a program. */
export function isCompiled(by: By, frame: Frame): boolean {
  const text = frame.source.slice(by.span.from, by.span.to)
  return COMPILERS.test(text.slice(0, 200)) && !NO_PROGRAM.test(text)
}
