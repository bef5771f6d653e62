import { join, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown, type Plugin } from 'rolldown'
import { CHECKOUT } from '../home.ts'

/*
 * node bundle-services.ts <folder> writes the platform's services as bundles, such as control-plane.mjs: a service has
 * two thousand modules, and tests start services a hundred times. Files beside a module are read where its source is.
 */
const SERVICES = [
  'apps/aggregator',
  'apps/control-plane',
  'apps/mail-catcher',
  'apps/platform-api',
  'apps/reverse-proxy',
  'apps/secrets-store',
  'apps/signer',
]

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('usage: bundle-services.ts <folder>')
const input = Object.fromEntries(
  SERVICES.map(path => [path.split('/').at(-1) ?? '', join(CHECKOUT, path, 'main.ts')]),
)
const build = await rolldown({
  input,
  cwd: CHECKOUT,
  platform: 'node',
  // They have native parts, or read files beside themselves.
  external: ['pg-native', '@node-rs/argon2', 'dockerode'],
  plugins: [keepPlaces()],
})
await build.write({
  dir: folder,
  format: 'esm',
  entryFileNames: '[name].mjs',
  chunkFileNames: '[name]-[hash].mjs',
})
await build.close()

/** A module of ours knows its source's place. */
function keepPlaces(): Plugin {
  return {
    name: 'keep-places',
    transform(code, id) {
      if (!id.startsWith(CHECKOUT + sep) || id.includes('node_modules') || !code.includes('import.meta'))
        return null
      return { code: code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id))), map: null }
    },
  }
}
