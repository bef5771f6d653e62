import type { OutsideCheckKind } from '@windlass/contracts/anchor/outside-checks.ts'
import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const texts = catalogue({
  title: text('Checks by other programs', 'Comprobaciones de otros programas'),
  lead: text(
    'A program of yours is asked before money leaves: about politically exposed persons and adverse media, or about wallets. What it finds is a hit; without its answer nothing leaves.',
    'Se pregunta a un programa suyo antes de que salga dinero: sobre personas expuestas políticamente y noticias adversas, o sobre billeteras. Lo que encuentra es una coincidencia; sin su respuesta no sale nada.',
  ),
  kinds: {
    person: text('Persons', 'Personas'),
    wallet: text('Wallets', 'Billeteras'),
  } satisfies Record<OutsideCheckKind, string>,
  columns: {
    kind: text('About', 'Sobre'),
    url: text('Address', 'Dirección'),
    answers: text('Answers', 'Respuestas'),
    last: text('Last answer', 'Última respuesta'),
    actions: text('Actions', 'Acciones'),
  },
  none: text('Nobody is asked', 'No se pregunta a nadie'),
  never: text('Never', 'Nunca'),
  change: text('Change', 'Cambiar'),
  changeWhat: text(
    (kind: string) => `Change who is asked about: ${kind}`,
    kind => `Cambiar a quién se pregunta sobre: ${kind}`,
  ),
  form: {
    title: text('Change who is asked', 'Cambiar a quién se pregunta'),
    url: text('Address of the program', 'Dirección del programa'),
    hint: text('Leave it empty to ask nobody.', 'Déjelo vacío para no preguntar a nadie.'),
    invalid: text(
      'Enter an address that begins with https://',
      'Escriba una dirección que empiece por https://',
    ),
    send: text('Save', 'Guardar'),
    failed: text('The check was not changed', 'La comprobación no se cambió'),
    secret: text(
      'Secret that signs the questions. It is shown once: keep it in your program.',
      'Secreto que firma las preguntas. Se muestra una vez: guárdelo en su programa.',
    ),
  },
  hit: {
    name: text('Check by another program', 'Comprobación de otro programa'),
    found: text('Found', 'Encontrado'),
    reference: text('Number', 'Número'),
    about: text('About', 'Sobre'),
  },
})
