/** What the words of a line say about it. A prior only: what is rare is shown without any of them. */

/** What a line is, as far as its words tell. */
export interface Voice {
  /** 0: nothing; 1: a hint or warning; 2: something was refused or is missing; 3: an error; 4: the end of the program. */
  readonly loud: 0 | 1 | 2 | 3 | 4
  /** Names one failure: `not ok 3 - …`, `FAILED tests/a.py::b`. */
  readonly failure: boolean
  /** Counts what the run did: `2 failed, 98 passed`. */
  readonly total: boolean
}

const QUIET: Voice = { loud: 0, failure: false, total: false }

/** Ways to say that there was none, and names that only contain such a word. */
const NEGATIVE =
  /\b(?:0|no|zero|without(?: any)?|never|ignor\w+)\s+(?:\w+\s+){0,2}?(?:errors?|failures?|failed|failing|warnings?|problems?|exceptions?|issues?|vulnerabilities)\b|\b(?:errors?|failures?|failed|fail|warnings?|problems?|skipped)["']?\s*[:=]?\s*0\b(?![.\d])|(?<![\w./-])[\w./-]*(?:error|exception|fail(?:ure|ed)?|warning|panic|fatal|abort)s?[\w-]*(?:\.\w{1,5}\b|[/\\][\w./-]+)|(?<![\w-])--?[\w-]*(?:error|fail|warn|fatal)[\w-]*/giu

const PASSED =
  /^\s*(?:✓|✔|√|ok\b(?! *[:,])|PASS(?:ED)?\b)|(?:\bPASS(?:ED)?|\.\.\. ?ok|\bOK)\s*(?:\[\s*\d+%\]|\([\d.]+ ?m?s\))?\s*$/u

const ENDS =
  /\b(?:fatal|panic(?:ked)?|segmentation fault|segfault|core dumped|out of memory|stack overflow|unhandled|uncaught|emergency|emerg|oom-?kill\w*)\b|Traceback \(most recent call last\)/iu
const ERRORS =
  /(?<![\w-])(?:errors?|err!?|failed|failures?|fail|failing|exceptions?|crit(?:ical)?|severe|not ok|undefined reference)(?![\w-])|^\s*(?:✗|✖|✘|×|⨯|●)/iu
/** Spelled as only names of errors are. */
const NAMED = /\b[A-Z]\w*(?:Error|Exception|Fault|Failure|Panic)\b|(?<![\w-])E[A-Z]{3,}\b|\bCONFLICT\b|^E {2,}\S/u
const REFUSALS =
  /\b(?:cannot|can't|could not|couldn't|unable|denied|refused|rejected|not (?:found|permitted|allowed|supported)|no such|missing|undeclared|unresolved|undefined|invalid|unexpected|unknown|timed? ?out|timeout|killed|abort(?:ed|ing)?|mismatch|corrupt\w*|exceeded|exhausted|overflow|interrupted|unreachable|conflicts?|broken|declined|assert\w*|expected|leak\w*|violat\w+|exit(?:ed)?(?: with)?(?: code| status)? [1-9]\d*)\b/iu
const HINTS =
  /(?<![\w-])(?:warn(?:ing)?s?|deprecat\w+|skipp?(?:ed|ing)?|retry(?:ing)?|fell back|fallback|obsolete|vulnerab\w+|outdated|insecure|stale|slow|degraded|suspended|locked|dropped|dirty|unmet|notice)(?![\w-])/iu

const FAILURE =
  /^\s*(?:FAIL(?:ED)?:?|ERROR:?)\s+\S*[./:\w]|^\s*not ok \d|^\s*(?:✗|✖|✘|×|⨯)\s+\S|^\s*--- FAIL: |^\s*●\s+\S|\.\.\. ?(?:FAILED|FAIL|ERROR)\s*$|\s(?:FAILED|FAIL|ERROR)\s*(?:\[\s*\d+%\])?\s*$|^\s*\d+\) [A-Z]\w*[#:(.]|^---- .* stdout ----$/u

const TOTAL =
  /(?<![\w.-])\d+\s+(?:\w+\s+)?(?:pass(?:ed|ing)?|fail(?:ed|ing|ures?)?|errors?|warnings?|problems?|skipped|pending|passes|examples?|assertions?|specs?|vulnerabilities|insertions?|deletions?|files? changed|fallbacks?)\b|^\W*(?:tests?|test suites|suites|snapshots|pass(?:ed)?|fail(?:ed|ures)?|errors?|cancelled|skipped|todo|total|examples?)\W+\d+\b|^\W*(?:Ran \d+|(?:run )?results?\b|summary\b|test result:|total\b|BUILD (?:SUCCESS|FAILURE|FAILED|SUCCESSFUL)\b|FAILED \(|Tests run:)/iu

/** What collectors of logs put in front of each line: a time, the name of a service. */
const PREFIX =
  /^(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,\d]*(?:Z|[+-]\d\d:?\d\d)?\]?|\[?\d\d:\d\d:\d\d[.,\d]*\]?|[\w.-]{1,40} *\|)(?: |$)/u

/** A line without such prefixes. */
export function bareLine(text: string): string {
  const once = text.replace(PREFIX, '')
  return once.length < text.length ? once.replace(PREFIX, '') : text
}

/** Reads one line, without control characters. */
export function voiceOf(text: string): Voice {
  const line = bareLine(text.length > 1000 ? text.slice(0, 1000) : text)
  const total = TOTAL.test(line)
  const rest = line.replace(NEGATIVE, ' ')
  if (PASSED.test(line) && !ENDS.test(rest)) return total ? { ...QUIET, total } : QUIET
  const failure = FAILURE.test(line)
  const loud = ENDS.test(rest)
    ? 4
    : failure || ERRORS.test(rest) || NAMED.test(rest)
      ? 3
      : REFUSALS.test(rest)
        ? 2
        : HINTS.test(rest)
          ? 1
          : 0
  return { loud, failure, total }
}

/** Words that make a line worth keeping apart from its like, wherever they stand in it. */
export const KEPT_APART: readonly string[] = [
  'error', 'errors', 'fatal', 'panic', 'panicked', 'exception', 'failed', 'failure', 'fail', 'critical', 'traceback',
  'warning', 'warn', 'denied', 'refused', 'timeout', 'killed', 'aborted', 'rejected', 'conflict', 'corrupt', 'exceeded',
  'missing', 'invalid', 'cannot', 'unable', 'fault', 'severe', 'unhandled', 'uncaught', 'declined', 'fallback',
].flatMap((word) => [word, word.toUpperCase(), `${word[0]!.toUpperCase()}${word.slice(1)}`]) // biome-ignore format: a list

/** Whether a line, without its prefix, goes on with what the line before it began. */
export function continues(text: string): boolean {
  return /^\s+\S|^\s*[\^~|]+\s*$|^(?:Caused by|caused by|note:|help:|hint:|\.\.\. \d+ more|During handling|The above exception|E {2,})/u.test(
    text,
  )
}
