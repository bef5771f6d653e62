import { type Bundle, bundleOnce } from '../anchor-servers/bundled.ts'

const BUNDLE: Bundle = {
  name: 'services',
  program: 'apps/windlass/service-bundles/bundle.ts',
  sources: ['apps', 'packages', 'package-lock.json'],
}

let underWay: Promise<string> | undefined

/**
 * The folder with the stack's services as bundles, `<name>.mjs`, built from the current sources unless they exist. Those who
 * ask at once share one reading of the sources. See docs/adr/0223-services-start-from-bundles.md.
 *
 * @throws {Error} with the bundler's output.
 */
export function bundledServices(environment: NodeJS.ProcessEnv, signal?: AbortSignal): Promise<string> {
  underWay ??= bundleOnce(BUNDLE, environment, signal).finally(() => {
    underWay = undefined
  })
  return underWay
}
