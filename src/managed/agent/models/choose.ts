/** From the name of a model to the model. Providers are loaded when they are asked for. */
import type { Model } from '../model.ts'
import { scriptedModel } from './scripted.ts'

type Env = Readonly<Record<string, string | undefined>>

/** `scripted`, or `<provider>:<name>`. The sentence says what is missing. */
export interface NoModel {
  readonly refused: string
}

/** Names that are known: the standard one, and those that the operator lists. */
export type Models = (name: string | undefined) => Model | undefined

/**
 * The models that `names` lists, e.g. `gemini:gemini-3-pro`; keys come from the variables of the providers. The first is the
 * standard one; requests name any of them, with or without the provider. `scripted` is always there.
 */
export async function chooseModels(names: readonly string[], env: Env): Promise<Models | NoModel> {
  const all = new Map<string, Model>([['scripted', scriptedModel]])
  let standard: Model | undefined
  for (const name of names) {
    const made = name === 'scripted' ? scriptedModel : await makeModel(name, env)
    if ('refused' in made) return made
    standard ??= made
    all.set(name, made)
    all.set(made.name, made)
  }
  return (name) => (name === undefined ? (standard ?? scriptedModel) : all.get(name))
}

async function makeModel(text: string, env: Env): Promise<Model | NoModel> {
  const [, provider, name] = /^(gemini|openai|anthropic):(.+)$/.exec(text) ?? []
  if (provider === undefined || name === undefined)
    return {
      refused: `${JSON.stringify(text)} is no model; it takes scripted, gemini:NAME, anthropic:NAME or openai:NAME`,
    }
  const need = (variable: string): string | NoModel =>
    env[variable] || { refused: `${text} needs its key in ${variable}` }
  if (provider === 'gemini') {
    const key = need('GEMINI_API_KEY')
    if (typeof key === 'object') return key
    const { geminiModel } = await import('./gemini.ts')
    const url = env['GEMINI_BASE_URL']
    return geminiModel(name, { key, ...(url ? { url } : {}) })
  }
  const { anthropicModel, openAiModel } = await import('./ai-sdk.ts')
  if (provider === 'anthropic') {
    const key = need('ANTHROPIC_API_KEY')
    if (typeof key === 'object') return key
    const url = env['ANTHROPIC_BASE_URL']
    return anthropicModel(name, { key, ...(url ? { url } : {}) })
  }
  const url = need('OPENAI_BASE_URL')
  return typeof url === 'object'
    ? { refused: `${text} needs the address of its endpoint in OPENAI_BASE_URL` }
    : openAiModel(name, { key: env['OPENAI_API_KEY'], url })
}
