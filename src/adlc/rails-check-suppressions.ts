/** Lines that switch a tool or a test off, as a table; and those that a change adds. Pure. */

export interface SuppressionRow {
  /** What a ticket's body names behind `allow-suppression:`, and what reports show. */
  readonly marker: string
  /** Linear in the length of a line: no repetition inside a repetition. */
  readonly pattern: RegExp
  /** Paths that it counts in; absent: all. */
  readonly in?: RegExp
  /** Why it matters, as a clause. */
  readonly why: string
}

const JS = /\.(?:[cm]?[jt]sx?|vue|svelte|astro|mdx)$/i
const PYTHON = /\.pyi?$/i
const JAVA = /\.(?:java|kts?|groovy|scala)$/i
const NET = /\.(?:cs|fs|vb)$/i
/** Where a bare `.skip(` is about tests and not about streams. */
const JS_TESTS =
  /(?:^|\/)(?:tests?|specs?|e2e|__tests__|cypress)\/.*\.[cm]?[jt]sx?$|[._-](?:test|spec|e2e|cy)\.[cm]?[jt]sx?$/i

const TYPES = 'it hides an error of types'
const LINT = 'it hides a finding of the linter'
const TEST = 'it leaves a test out'
const ONLY = 'it leaves all other tests out'
const COVERAGE = 'it hides code that no test runs'
const SECURITY = 'it hides a finding about security'

export const SUPPRESSIONS: readonly SuppressionRow[] = [
  { marker: '@ts-ignore', pattern: /@ts-ignore\b/, why: TYPES },
  { marker: '@ts-expect-error', pattern: /@ts-expect-error\b/, why: TYPES },
  { marker: '@ts-nocheck', pattern: /@ts-nocheck\b/, why: TYPES },
  { marker: '@flow-ignore', pattern: /\$Flow(?:FixMe|Issue|Ignore|ExpectedError)\b/, in: JS, why: TYPES },
  { marker: 'eslint-disable', pattern: /\beslint-disable(?:-line|-next-line)?\b/, why: LINT },
  { marker: 'tslint:disable', pattern: /\btslint:disable\b/, why: LINT },
  { marker: 'biome-ignore', pattern: /\bbiome-ignore(?:-all|-start)?\b/, why: LINT },
  { marker: 'oxlint-disable', pattern: /\boxlint-disable\b/, why: LINT },
  { marker: 'stylelint-disable', pattern: /\bstylelint-disable\b/, why: LINT },
  {
    marker: '.skip(',
    pattern:
      /\b(?:it|test|describe|suite|context|specify|bench|Deno\.test)(?:\.(?:concurrent|sequential|each))?\.skip\b/,
    why: TEST,
  },
  { marker: '.skip(', pattern: /\.skip\s*\(/, in: JS_TESTS, why: TEST },
  {
    marker: '.only(',
    pattern:
      /\b(?:it|test|describe|suite|context|specify|bench|Deno\.test)(?:\.(?:concurrent|sequential|each))?\.only\b/,
    why: ONLY,
  },
  { marker: '.only(', pattern: /\.only\s*\(/, in: JS_TESTS, why: ONLY },
  { marker: 'skip: true', pattern: /\bskip\s*:\s*(?:true\b|['"`])/, in: JS_TESTS, why: TEST },
  { marker: 'only: true', pattern: /\bonly\s*:\s*true\b/, in: JS_TESTS, why: ONLY },
  { marker: 'xit(', pattern: /(?:^|[^\w$.])x(?:it|test|describe|context|specify)\s*\(/, in: JS_TESTS, why: TEST },
  { marker: 'fit(', pattern: /(?:^|[^\w$.])f(?:it|describe|context)\s*\(/, in: JS_TESTS, why: ONLY },
  { marker: 'xfail', pattern: /\bxfail\b/, why: TEST },
  { marker: 'pytest.skip', pattern: /\bpytest\.(?:mark\.skip(?:if)?|skip|importorskip)\b/, why: TEST },
  {
    marker: 'unittest.skip',
    pattern: /\bunittest\.skip|\bself\.skipTest\s*\(|@skip(?:If|Unless)?\s*\(/,
    in: PYTHON,
    why: TEST,
  },
  { marker: '# noqa', pattern: /#\s*(?:flake8:\s*|ruff:\s*)?noqa\b/i, why: LINT },
  {
    marker: '# type: ignore',
    pattern: /#\s*(?:type|pyright|mypy|pyre-ignore|ty)\s*:\s*ignore\b|#\s*mypy:\s*ignore-errors\b/,
    why: TYPES,
  },
  { marker: 'pylint: disable', pattern: /#\s*pylint:\s*(?:disable|skip-file)\b/, why: LINT },
  { marker: '# nosec', pattern: /#\s*nosec\b/, why: SECURITY },
  { marker: 'pragma: no cover', pattern: /\bpragma:\s*no[ -]?cover\b/i, why: COVERAGE },
  { marker: 'istanbul ignore', pattern: /\b(?:istanbul|c8|v8)\s+ignore\b/, why: COVERAGE },
  { marker: 'coverage ignore', pattern: /@codeCoverageIgnore\b|\bLCOV_EXCL\b|#\[coverage\(off\)\]/, why: COVERAGE },
  { marker: '#[ignore]', pattern: /#\[ignore\b/, why: TEST },
  { marker: '#[allow(', pattern: /#!?\[(?:allow|expect)\s*\(/, in: /\.rs$/i, why: LINT },
  { marker: '//nolint', pattern: /\/\/\s*nolint\b/, why: LINT },
  { marker: 't.Skip(', pattern: /\b[tb]\.Skip(?:f|Now)?\s*\(/, in: /_test\.go$/i, why: TEST },
  { marker: '@SuppressWarnings', pattern: /@(?:file:)?Suppress(?:Warnings|Lint)?\b/, in: JAVA, why: LINT },
  { marker: '@Disabled', pattern: /@(?:Disabled|Ignore)\b/, in: JAVA, why: TEST },
  { marker: '#pragma warning disable', pattern: /#pragma\s+warning\s*\(?\s*disable\b/, why: LINT },
  { marker: '[SuppressMessage', pattern: /\[(?:\w+:\s*)?SuppressMessage\b/, in: NET, why: LINT },
  { marker: '[Ignore', pattern: /\[(?:Ignore|Fact\s*\(\s*Skip|Theory\s*\(\s*Skip)\b/, in: NET, why: TEST },
  { marker: 'NOLINT', pattern: /\bNOLINT(?:NEXTLINE|BEGIN)?\b/, in: /\.(?:c|cc|cpp|cxx|h|hh|hpp|m|mm)$/i, why: LINT },
  { marker: 'GTEST_SKIP', pattern: /\bGTEST_SKIP\b/, why: TEST },
  { marker: 'rubocop:disable', pattern: /\brubocop:(?:disable|todo)\b/, why: LINT },
  { marker: 'standard:disable', pattern: /\bstandard:disable\b/, in: /\.r(?:b|ake)$/i, why: LINT },
  { marker: 'phpcs:ignore', pattern: /\bphpcs:(?:ignore|disable)|@codingStandardsIgnore\w*/, why: LINT },
  { marker: '@phpstan-ignore', pattern: /@phpstan-ignore|@psalm-suppress\b/, why: TYPES },
  { marker: 'swiftlint:disable', pattern: /\bswiftlint:disable\b/, why: LINT },
  { marker: 'ktlint-disable', pattern: /\bktlint-disable\b/, why: LINT },
  { marker: 'credo:disable', pattern: /\bcredo:disable/, why: LINT },
  { marker: 'shellcheck disable', pattern: /#\s*shellcheck\s+disable=/, why: LINT },
  { marker: 'hadolint ignore', pattern: /#\s*hadolint\s+(?:global\s+)?ignore=/, why: LINT },
  { marker: 'yamllint disable', pattern: /#\s*yamllint\s+disable/, why: LINT },
  { marker: 'zizmor: ignore', pattern: /#\s*zizmor:\s*ignore/, why: SECURITY },
  { marker: 'nosemgrep', pattern: /\bnosem(?:grep)?\b/, why: SECURITY },
  { marker: 'NOSONAR', pattern: /\bNOSONAR\b/, why: LINT },
  { marker: 'gitleaks:allow', pattern: /\bgitleaks:allow\b|\bpragma:\s*allowlist\s+secret\b/, why: SECURITY },
  { marker: 'tfsec:ignore', pattern: /\b(?:tfsec:ignore|checkov:skip|trivy:ignore)\b/, why: SECURITY },
  { marker: 'codeql', pattern: /\b(?:codeql|lgtm)\s*\[[\w/-]+\]/, why: SECURITY },
]

/** Prose speaks of such lines; what mixes prose and code (`.mdx`) is code. */
const PROSE = /\.(?:md|markdown)$/i
/** Characters of one line that are looked through; longer lines are data or made by a tool. */
const MOST_LINE = 4096
/** Lines that one file is named with. */
const MOST_FOUND = 100

export interface Suppression {
  readonly marker: string
  /** From 1. */
  readonly line: number
  readonly why: string
}

/**
 * Lines with a suppression that the file has now and had not, or had fewer of; a line that moves within its file is not
 * added. `body`: the text of the ticket that this is about, where `allow-suppression: <marker>` allows one.
 */
export function suppressionsAdded(
  path: string,
  before: string | undefined,
  after: string,
  body = '',
): readonly Suppression[] {
  if (PROSE.test(path)) return []
  const rows = SUPPRESSIONS.filter((row) => row.in === undefined || row.in.test(path))
  const had = new Map<string, number>()
  if (before !== undefined) {
    for (const { text } of found(before, rows)) had.set(text, (had.get(text) ?? 0) + 1)
  }
  const allowed = allowedBy(body)
  const out: Suppression[] = []
  for (const { row, line, text } of found(after, rows)) {
    const left = had.get(text) ?? 0
    if (left > 0) had.set(text, left - 1)
    else if (!allowed.has(row.marker)) {
      out.push({ marker: row.marker, line, why: `line ${line} adds \`${row.marker}\`: ${row.why}` })
      if (out.length >= MOST_FOUND) break
    }
  }
  return out
}

function* found(text: string, rows: readonly SuppressionRow[]) {
  for (const [i, whole] of text.split('\n').entries()) {
    const line = whole.slice(0, MOST_LINE).trim()
    const seen = new Set<string>()
    for (const row of rows) {
      if (seen.has(row.marker) || !row.pattern.test(line)) continue
      seen.add(row.marker)
      yield { row, line: i + 1, text: `${row.marker}\0${line}` }
    }
  }
}

/** The markers that a ticket's body allows, one a line. */
function allowedBy(body: string): ReadonlySet<string> {
  const out = new Set<string>()
  for (const line of body.split('\n')) {
    const at = line.indexOf(ALLOW)
    if (at >= 0)
      out.add(
        line
          .slice(at + ALLOW.length)
          .trim()
          .replace(/^`|`$/g, ''),
      )
  }
  return out
}

const ALLOW = 'allow-suppression:'
