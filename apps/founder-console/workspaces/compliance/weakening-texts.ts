import type { weakeningReasons } from '@windlass/contracts/anchor/weakening.ts'
import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const texts = catalogue({
  label: text('Reason, if it finds less than before', 'Motivo, si encuentra menos que antes'),
  hint: text(
    'Such a change waits until another person approves it under Anchor.',
    'Un cambio así espera hasta que otra persona lo apruebe en Anchor.',
  ),
  none: text('It finds no less', 'No encuentra menos'),
  reasons: {
    'too-many-false-hits': text('Too many false hits', 'Demasiadas coincidencias falsas'),
    'law-changed': text('The law changed', 'La ley cambió'),
    'licence-changed': text('The licence changed', 'La licencia cambió'),
    'authority-removed-it': text('The authority removed it', 'La autoridad lo retiró'),
    'set-by-mistake': text('It was set by mistake', 'Se fijó por error'),
    'other-control-covers-it': text('Another control covers it', 'Otro control lo cubre'),
  } satisfies Record<(typeof weakeningReasons)[number], string>,
})
