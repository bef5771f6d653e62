declare module 'undici/lib/dispatcher/agent.js' {
  import { Agent } from 'undici'
  export default Agent
}

declare module 'undici/lib/core/connect.js' {
  import { buildConnector } from 'undici'
  export default buildConnector
}

declare module 'undici/lib/api/api-request.js' {
  import type { Dispatcher } from 'undici'
  function request(
    this: Dispatcher,
    options: Omit<Dispatcher.RequestOptions, 'origin'> & { origin: string },
  ): Promise<Dispatcher.ResponseData>
  export default request
}

declare module 'undici/lib/global.js' {
  import type { Dispatcher } from 'undici'
  const global: { getGlobalDispatcher(): Dispatcher }
  export default global
}
