/** Reads stack traces line by line: Python, JavaScript, Java and what prints like it, Go, Rust. */

export type TraceLine =
  /** A trace begins; its exception comes at its end (Python) or stands in this very line. */
  | { readonly is: 'begin'; readonly text: string | undefined }
  /** The exception of the frames above it (Python). */
  | { readonly is: 'raised'; readonly text: string }
  /** What comes next caused, or was caused by, what was before. */
  | { readonly is: 'cause'; readonly text: string | undefined }
  | { readonly is: 'frame'; readonly own: boolean }
  /** Belongs to the line before it: source text, a place, carets, fields of an error. */
  | { readonly is: 'more' /** The place of a frame, in what others wrote. */; readonly library?: true }
  /** Words around a trace. */
  | { readonly is: 'word' }

export type Language = 'python' | 'at' | 'go' | 'rust'

const PYTHON = /^[\s|+]*(?:Exception Group )?Traceback \(most recent call last\):/u
const PYTHON_FRAME = /^[\s|]*File "([^"]*)", line \d+/u
const PYTHON_CHAIN =
  /^[\s|]*(?:The above exception was the direct cause of|During handling of the above exception, another exception)/u

const AT_FRAME = /^[\s|]+at (?:async |new )?(\S.*)$/u
const THREAD = /^Exception in thread "[^"]*" (\S.*)$/u
const CAUSED = /^\s*(?:Caused by|Suppressed): (\S.*)$/u
const NODE_CAUSE = /^\s*\[(?:cause|errors)\]: (\S.*)$/u
/** `TypeError: …`, `java.lang.IllegalStateException: …`, with words of a log in front of it. */
const THROWN =
  /^(?:.{0,160}?[\s:[(])?((?:[\w$]+\.)*(?:[A-Z][\w$]*)?(?:Error|Exception|Throwable|Fault|Panic|Failure)\b(?: \[[\w]+\])?(?::.*|\s*\{?)?)$/u

const GO = /^(?:panic: |fatal error: |runtime: goroutine stack exceeds)/u
const GOROUTINE = /^goroutine \d+(?: gp=\S+)?(?: m=\S+)?(?: mp=\S+)? \[([^\]]*)\]:$/u
const GO_CALL = /^(?:created by )?([\w./*()·$[\]-]+(?:\.func\d+[\d.]*)?)(?:\(.*\)| in goroutine \d+)?$/u
const GO_PLACE = /^\t(\S+\.(?:go|s)):\d+(?: \+0x[0-9a-f]+)?$/u

const RUST = /^thread '[^']*'(?: \(\d+\))? panicked at (\S.*)$/u
const RUST_FRAME = /^\s+\d+:\s+(?:0x[0-9a-f]+ - )?(\S.*)$/u
const RUST_PLACE = /^\s+at (\S+:\d+(?::\d+)?)$/u

/** Places of what others wrote. */
const LIBRARY =
  /node_modules|\(node:|^node:|\bnode:internal|\(<anonymous>\)$|^<anonymous>$|^native$|site-packages|dist-packages|\/lib(?:64)?\/python|<frozen |<string>|\/rustc\/|\.rustup\/|\.cargo\/registry|\/usr\/(?:local\/)?(?:lib|go)\b|\/go\/(?:src|pkg\/mod)\/|\bgo\/src\/runtime/u
/** Names of functions that belong to a language or to what everybody uses. */
const LIBRARY_NAME =
  /^(?:java|javax|jdk|sun|com\.sun|kotlin|scala|groovy|clojure)[./]|^java\.base\/|^org\.(?:junit|apache|springframework|hibernate|gradle|codehaus|eclipse|jboss|testng|mockito)\.|^(?:core|std|alloc|test|__rustc|rust_begin_unwind|_start|__libc|_main|main$|__rust)(?:::|$|_|\[)|^<+[&(]*(?:dyn )?(?:core|std|alloc|test)(?:\[|::)|^(?:runtime|reflect|testing|net|sync|internal|os|fmt|encoding|syscall)[./]|^panic\(|^System\.|^Microsoft\./u

const own = (text: string): boolean => !LIBRARY.test(text) && !LIBRARY_NAME.test(text)

/** Characters of a line that are looked at. */
const CUT = 1000

export class Frames {
  #language: Language | undefined
  /** Of Python: the indent of the trace, frames of which are deeper. */
  #indent = 0
  #framed = false
  #message = 0
  #running = false

  get language(): Language | undefined {
    return this.#language
  }

  /** Forgets the trace that is open. */
  reset(): void {
    this.#language = undefined
  }

  /** `next`: the line behind it. Undefined: no line of a trace. */
  read(line: string, after: string | undefined): TraceLine | undefined {
    // Expressions may not be tried on lines without end.
    const text = line.length > CUT ? line.slice(0, CUT) : line
    const next = after !== undefined && after.length > CUT ? after.slice(0, CUT) : after
    const begun = this.#begin(text, next)
    if (begun !== undefined) return begun
    switch (this.#language) {
      case 'python':
        return this.#python(text)
      case 'at':
        return this.#at(text, next)
      case 'go':
        return this.#go(text)
      case 'rust':
        return this.#rust(text)
      case undefined:
        return undefined
    }
  }

  #begin(text: string, next: string | undefined): TraceLine | undefined {
    if (PYTHON.test(text)) {
      this.#language = 'python'
      this.#indent = text.search(/[ET]/u)
      this.#framed = false
      return { is: 'begin', text: undefined }
    }
    const rust = RUST.exec(text)
    if (rust !== null) {
      this.#language = 'rust'
      this.#message = 3
      return { is: 'begin', text }
    }
    if (GO.test(text)) {
      const again = this.#language === 'go' && !this.#framed
      this.#language = 'go'
      this.#framed = false
      this.#running = true
      return again ? { is: 'more' } : { is: 'begin', text }
    }
    if (this.#language === 'python' || this.#language === 'go' || next === undefined) return undefined
    if (!AT_FRAME.test(next)) return undefined
    if (CAUSED.test(text) || NODE_CAUSE.test(text) || AT_FRAME.test(text)) return undefined
    const thrown = THREAD.exec(text)?.[1] ?? THROWN.exec(text)?.[1]
    if (thrown === undefined) return undefined
    this.#language = 'at'
    return { is: 'begin', text: thrown }
  }

  #python(text: string): TraceLine | undefined {
    const frame = PYTHON_FRAME.exec(text)
    if (frame !== null) {
      this.#framed = true
      return { is: 'frame', own: !LIBRARY.test(frame[1]!) }
    }
    if (PYTHON_CHAIN.test(text)) return { is: 'cause', text: undefined }
    if (text.trim() === '') return { is: 'word' }
    const indent = text.search(/[^\s|]/u)
    if (this.#framed && indent > this.#indent) return { is: 'more' }
    if (!this.#framed) {
      this.#language = undefined
      return undefined
    }
    this.#framed = false
    return { is: 'raised', text: text.trim() }
  }

  #at(text: string, next: string | undefined): TraceLine | undefined {
    const frame = AT_FRAME.exec(text)
    if (frame !== null) return { is: 'frame', own: own(frame[1]!) }
    const cause = CAUSED.exec(text) ?? NODE_CAUSE.exec(text)
    if (cause !== null) return { is: 'cause', text: cause[1]! }
    if (/^\s+\.\.\. \d+ (?:more|common frames omitted|lines matching)/u.test(text)) return { is: 'more' }
    // Fields of an error, as Node prints them: indented, up to the brace.
    if (/^\s+[\w$'"[\]]+: \S|^\s*[}\]]+,?(?: \{)?$/u.test(text)) return { is: 'more' }
    if (/^Node\.js v\d/u.test(text)) return { is: 'word' }
    if (text.trim() === '') {
      if (next === undefined || !/^Node\.js v|^\s*Caused by/u.test(next)) this.#language = undefined
      return { is: 'word' }
    }
    this.#language = undefined
    return undefined
  }

  #go(text: string): TraceLine | undefined {
    const routine = GOROUTINE.exec(text)
    if (routine !== null) {
      this.#running = routine[1]!.startsWith('running')
      return { is: 'word' }
    }
    if (/^\[signal |^exit status \d+$|^rax |^r\w\w? +0x|^\.\.\.additional frames elided/u.test(text) || text === '')
      return { is: 'word' }
    const place = GO_PLACE.exec(text)
    if (place !== null) return LIBRARY.test(place[1]!) ? { is: 'more', library: true } : { is: 'more' }
    const call = GO_CALL.exec(text)
    if (call !== null && /[.(]/u.test(text)) {
      this.#framed = true
      return { is: 'frame', own: this.#running && own(text) && !text.startsWith('created by') }
    }
    if (!this.#framed && /^\t|^\s+/u.test(text)) return { is: 'more' }
    this.#language = undefined
    return undefined
  }

  #rust(text: string): TraceLine | undefined {
    if (/^stack backtrace:$|^note: /u.test(text)) {
      this.#message = 0
      return { is: 'word' }
    }
    const frame = RUST_FRAME.exec(text)
    if (frame !== null) {
      this.#message = 0
      return { is: 'frame', own: own(frame[1]!) }
    }
    const place = RUST_PLACE.exec(text)
    if (place !== null) return LIBRARY.test(place[1]!) ? { is: 'more', library: true } : { is: 'more' }
    if (this.#message > 0 && text !== '') {
      this.#message--
      return { is: 'more' }
    }
    this.#language = undefined
    return undefined
  }
}
