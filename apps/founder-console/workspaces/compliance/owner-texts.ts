import type { ownerControls } from '@windlass/contracts/anchor/beneficial-owners.ts'
import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const texts = catalogue({
  title: text('Beneficial owners', 'Titulares reales'),
  lead: text(
    'Who owns or controls customers that are organizations. Their names are compared with the lists, and a hit holds the organization. Entries stay: end one, and enter another.',
    'Quién posee o controla a los clientes que son organizaciones. Sus nombres se comparan con las listas, y una coincidencia retiene a la organización. Las entradas quedan: dé de baja una y anote otra.',
  ),
  add: text('Enter owner', 'Anotar titular'),
  empty: {
    title: text('No owners', 'Sin titulares'),
    detail: text(
      'Add the owners of each customer that is an organization.',
      'Añada los titulares de cada cliente que sea una organización.',
    ),
  },
  columns: {
    name: text('Name', 'Nombre'),
    customer: text('Organization', 'Organización'),
    control: text('By', 'Por'),
    share: text('Share in %', 'Participación en %'),
    country: text('Country', 'País'),
    asOf: text('As of', 'A fecha de'),
    status: text('Status', 'Estado'),
    customerId: text('Customer ID', 'ID del cliente'),
    birthDate: text('Date of birth', 'Fecha de nacimiento'),
    source: text('Source', 'Fuente'),
    evidence: text('Evidence', 'Prueba'),
    by: text('Entered by', 'Anotado por'),
    at: text('Entered at', 'Anotado el'),
    reason: text('Why it ended', 'Por qué terminó'),
  },
  controls: {
    shares: text('Shares', 'Acciones'),
    votes: text('Voting rights', 'Derechos de voto'),
    other: text('Other control', 'Otro control'),
    managing: text('Management', 'Dirección'),
  } satisfies Record<(typeof ownerControls)[number], string>,
  current: text('Current', 'Actual'),
  ended: text('Ended', 'Terminado'),
  form: {
    title: text('Enter owner', 'Anotar titular'),
    customer: {
      label: text('Customer ID', 'ID del cliente'),
      hint: text('Of an organization, under Customers.', 'De una organización, en Clientes.'),
    },
    name: text('Name', 'Nombre'),
    birthDate: text('Date of birth', 'Fecha de nacimiento'),
    country: {
      label: text('Country', 'País'),
      hint: text('Where they live, two letters.', 'Dónde vive, dos letras.'),
    },
    control: text('They own or control it by', 'La posee o controla por'),
    share: {
      label: text('Share in %', 'Participación en %'),
      hint: text('Such as 25.5.', 'Como 25.5.'),
    },
    source: {
      label: text('Source', 'Fuente'),
      hint: text(
        'Such as an extract of the register of companies.',
        'Como un extracto del registro mercantil.',
      ),
    },
    asOf: text('Day of the source', 'Día de la fuente'),
    evidence: {
      label: text('Evidence', 'Prueba'),
      hint: text('What proves it, and where you keep it.', 'Qué lo prueba y dónde lo guarda.'),
    },
    missing: text('Fill this in.', 'Complete este campo.'),
    invalidDay: text('Choose a day.', 'Elija un día.'),
    invalidCountry: text('Enter two letters, such as DE.', 'Escriba dos letras, como ES.'),
    invalidShare: text('Enter a number from 0 to 100.', 'Escriba un número de 0 a 100.'),
    send: text('Save', 'Guardar'),
    failed: text('It was not saved', 'No se guardó'),
  },
  end: {
    title: text(
      (name: string) => `End ${name}`,
      name => `Dar de baja a ${name}`,
    ),
    action: text('End', 'Dar de baja'),
    lead: text(
      'They own or control the organization no longer. Hits about them stay.',
      'Ya no posee ni controla la organización. Las coincidencias quedan.',
    ),
    reason: text('Why', 'Por qué'),
    failed: text('It was not ended', 'No se dio de baja'),
  },
})
