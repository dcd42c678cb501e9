/** Prompts of shells, which run what they hold. */
import { exact } from '../core/value.ts'
import type { Doing } from './doing.ts'

/** What a prompt runs when it is shown. `PS4` is shown before each command that a shell traces. */
export const promptCode = (name: string, text: string | undefined): readonly Doing[] =>
  [...(text ?? '').matchAll(/\$\(([^()]*)\)|`([^`]*)`/g)].map((match) => ({
    do: 'code',
    language: 'sh',
    text: exact(match[1] ?? match[2]!),
    label: name,
  }))
