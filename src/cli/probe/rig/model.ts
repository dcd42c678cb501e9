/** What scripted models of every API share: a server on loopback that keeps what it was asked and says what comes next. */
import type { ServerResponse } from 'node:http'
import { sendJson, serve } from './loopback.ts'
import { type Call, type Json, list, type Model, nextTurn, object, type Script, type Shown } from './script.ts'

/** How an API words a conversation. */
export interface Api {
  /** Whether a request to this path carries a conversation. */
  readonly talks: (path: string) => boolean
  /** Answers to other paths, by their ends, and the body of a 404. */
  readonly aside?: Readonly<Record<string, unknown>>
  readonly missing: unknown
  /** Whether the model is offered tools; by default where `tools` holds any. Without them it is a side job, such as a title. */
  readonly offers?: (request: Json) => boolean
  /** What the user said. */
  readonly said: (request: Json) => string
  /** Results of tools in a conversation, and each as the model was shown it; undefined where no call is known for it. */
  readonly results: (request: Json) => readonly Json[]
  readonly shown: (result: Json) => Shown | undefined
  /** Answers with the calls that come next; none where the conversation is at its end. `count`: of the requests so far. */
  readonly answer: (response: ServerResponse, calls: readonly Call[], asked: Asked) => void
}

export interface Asked {
  readonly request: Json
  readonly path: string
  readonly count: number
}

/** Starts a model of that API; close it when the CLI has ended. */
export async function startModel(script: Script, api: Api): Promise<Model> {
  const requests: Json[] = []
  const server = await serve((path, body, response) => {
    const aside = Object.entries(api.aside ?? {}).find(([end]) => path.endsWith(end))
    if (aside !== undefined) return sendJson(response, 200, aside[1])
    if (!api.talks(path)) return sendJson(response, 404, api.missing)
    const request = object(body)
    requests.push(request)
    const offers = api.offers ?? (({ tools }) => list(tools).length > 0)
    const turn = offers(request) ? nextTurn(script, api.said(request), api.results(request).length) : undefined
    api.answer(response, turn?.calls ?? [], { request, path, count: requests.length })
  })
  const shown = (): ReadonlyMap<string, Shown> =>
    new Map(
      requests
        .flatMap(api.results)
        .flatMap((result) => api.shown(result) ?? [])
        .map((one) => [one.id, one]),
    )
  return { url: server.url, strays: server.strays, requests, shown, close: server.close }
}
