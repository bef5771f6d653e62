import scalar from '@scalar/fastify-api-reference'
import Fastify, { type FastifyInstance } from 'fastify'

/** The browsable reference of `/openapi.json` below `/docs`, as an application that is asked with `inject`. */
export async function openReference(): Promise<FastifyInstance> {
  const app = Fastify({ routerOptions: { ignoreTrailingSlash: true } })
  await app.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      withDefaultFonts: false,
      telemetry: false,
      // Links to the vendor's own services.
      showDeveloperTools: 'never',
      hideClientButton: true,
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  })
  await app.ready()
  return app
}
