import type { Command } from '../command.ts'

export const demo: Command = {
  summary: 'brings the stack up and walks the main job through it',
  usage: 'npm run demo [-- --exit] [--keep-going]',
  run: () => Promise.resolve(1),
}
