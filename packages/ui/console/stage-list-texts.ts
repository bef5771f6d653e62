import { catalogue, text } from '../catalogue.ts'

/** Words of the list of stages. */
export const stageListTexts = catalogue({
  status: {
    pending: text('Waiting', 'En espera'),
    running: text('Running', 'En curso'),
    failed: text('Failed', 'Fallida'),
    completed: text('Done', 'Lista'),
  },
  attempt: text(
    (count: number) => `attempt ${count}`,
    count => `intento ${count}`,
  ),
})
