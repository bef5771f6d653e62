import { catalogue, text } from '../catalogue.ts'

/** Words of the command palette. */
export const palette = catalogue({
  title: text('Go to', 'Ir a'),
  hint: text('Page or record', 'Página o registro'),
  keys: text(
    '↑ ↓ choose, Enter opens, Escape closes. Ctrl+K or ⌘K opens this, ? lists all shortcuts.',
    '↑ ↓ elige, Intro abre, Escape cierra. Ctrl+K o ⌘K abre esto, ? muestra todos los atajos.',
  ),
  none: text('No page or record matches.', 'Ninguna página ni registro coincide.'),
  count: text(
    (found: number) => `${found} ${found === 1 ? 'result' : 'results'}`,
    found => `${found} ${found === 1 ? 'resultado' : 'resultados'}`,
  ),
})
