/** Code that came from elsewhere, and code that nobody can read. */
import type { Finding } from '../../core/verdict.ts'
import { finding, type Subject, type Tools } from '../subject.ts'

const SAFER = 'download it to a file, read it, and run it in a second step'

export function remoteCode(subject: Subject, tools: Tools): readonly Finding[] {
  const { effect } = subject
  const name = effect.target.is === 'thing' || effect.target.is === 'remote' ? effect.target.name : 'code'
  if (effect.act === 'run-remote') {
    const vetted = effect.note === 'package'
    return [
      finding(
        subject,
        'remote-code',
        vetted ? 'package' : 'run',
        vetted ? 'ask' : 'deny',
        vetted
          ? `${effect.by} fetches and runs ${name}, which the project does not depend on`
          : `${effect.by} runs code that comes from elsewhere (${name})`,
        { safer: vetted ? 'add it as a dependency first, or let the person vet it' : SAFER },
      ),
    ]
  }
  if (effect.act === 'install' && effect.note === 'remote') {
    return [
      finding(subject, 'remote-code', 'install', 'ask', `${effect.by} installs ${name} straight from an address`, {
        safer: 'install a published version by name',
      }),
    ]
  }
  if (effect.act === 'write' && effect.from?.includes('remote')) {
    const program = subject.places.find((place) => place.zones.has('program'))
    if (program)
      return [
        finding(
          subject,
          'remote-code',
          'program',
          'deny',
          `a download would replace the program ${tools.show(program.path)}`,
          { safer: SAFER },
        ),
      ]
  }
  if (effect.act === 'run') {
    const fetched = effect.from?.includes('remote') ?? false
    const place = subject.places[0]
    if (place && fetched)
      return [
        finding(subject, 'remote-code', 'fetched', 'deny', `${tools.show(place.path)} is fetched and run in one step`, {
          safer: SAFER,
        }),
      ]
    if (!place) return []
    const downloaded = tools.context.session.downloaded.includes(place.path)
    const written = downloaded || tools.context.session.written.includes(place.path)
    if (effect.note === 'unreadable' || effect.note === 'cut' || effect.note === 'unknown') {
      const outside = !place.zones.has('project') && !place.zones.has('program')
      if (effect.note === 'unknown' || written || outside) {
        const why = downloaded
          ? 'was downloaded in this session'
          : written
            ? 'was written in this session'
            : outside
              ? 'lies outside the project'
              : 'could not be looked at in time'
        return [
          finding(subject, 'remote-code', 'unreadable', 'ask', `${tools.show(place.path)} cannot be read and ${why}`, {
            safer: 'run it from a readable script',
          }),
        ]
      }
    }
  }
  return []
}
