import type { ListId, ScreenedRole } from '@windlass/contracts/anchor/compliance.ts'
import { catalogue, text } from '@windlass/ui/catalogue.ts'
import { decider } from '../decider.ts'

export const texts = catalogue({
  hits: {
    title: text('To review', 'Por revisar'),
    lead: text(
      'Names like those on a sanctions list, and transfers that exceed a velocity rule. Nothing is paid or sent back for them until you decide.',
      'Nombres parecidos a los de una lista de sanciones y transferencias que superan una regla de velocidad. Nada se paga ni se devuelve por ellos hasta que usted decida.',
    ),
    empty: {
      title: text('Nothing to review', 'Nada por revisar'),
      detail: text(
        'Names like those on your lists and transfers beyond your rules appear here.',
        'Aquí aparecen los nombres parecidos a los de sus listas y las transferencias que superan sus reglas.',
      ),
    },
    columns: {
      at: text('Found', 'Encontrado'),
      name: text('Name', 'Nombre'),
      role: text('Role', 'Papel'),
      entry: text('On the list or held', 'En la lista o retenido'),
      score: text('Score', 'Puntuación'),
      status: text('Status', 'Estado'),
    },
    statuses: {
      waiting: text('Pending review', 'Por revisar'),
      cleared: text('Cleared', 'Descartado'),
      confirmed: text('Confirmed', 'Confirmado'),
    },
    roles: {
      customer: text('Customer', 'Cliente'),
      organization: text('Customer’s organization', 'Organización del cliente'),
      verified: text('Customer, by their document', 'Cliente, según su documento'),
      payer: text('Payer', 'Pagador'),
      beneficiary: text('Beneficiary', 'Beneficiario'),
      wallet: text('Address on the ledger', 'Dirección en el ledger'),
      owner: text('Owner of the organization', 'Titular de la organización'),
    } satisfies Record<ScreenedRole, string>,
  },
  hit: {
    title: text('Name on a sanctions list', 'Nombre en una lista de sanciones'),
    fields: {
      name: text('Name', 'Nombre'),
      role: text('Role', 'Papel'),
      entry: text('Name on the list', 'Nombre en la lista'),
      list: text('List', 'Lista'),
      detail: text('The list says', 'La lista dice'),
      score: text('Score', 'Puntuación'),
      told: text('Name that the customer told', 'Nombre que dio el cliente'),
      verified: text('Name on their document', 'Nombre en su documento'),
      holds: text('Transactions held', 'Transacciones retenidas'),
    },
    unknownName: text('Not known', 'No se conoce'),
    entryOf: text(
      (source: string, id: string) => `${source}, entry ${id}`,
      (source, id) => `${source}, entrada ${id}`,
    ),
    decisions: text('Decisions', 'Decisiones'),
    decided: { clear: text('Cleared', 'Descartado'), confirm: text('Confirmed', 'Confirmado') },
    decision: {
      label: text('Is it the same person?', '¿Es la misma persona?'),
      missing: text('Choose one.', 'Elija una opción.'),
      clear: {
        label: text('No, clear it', 'No, descartar'),
        hint: text(
          'What it held continues. From a score of 0.95 on, once a second person cleared it too.',
          'Lo retenido continúa. A partir de una puntuación de 0.95, cuando una segunda persona también lo descarte.',
        ),
      },
      confirm: {
        label: text('Yes, confirm it', 'Sí, confirmar'),
        hint: text(
          `It stays held. Only another ${decider.compliance} can clear it later.`,
          `Sigue retenido. Más tarde solo otra ${decider.compliance} puede descartarlo.`,
        ),
      },
    },
    reason: {
      label: text('Reason', 'Motivo'),
      hint: text('Part of the case.', 'Forma parte del caso.'),
      missing: text('Enter the reason.', 'Escriba el motivo.'),
    },
    evidence: {
      label: text('Evidence', 'Prueba'),
      hint: text(
        'What shows it, such as a date of birth or a document’s number.',
        'Lo que lo demuestra, como una fecha de nacimiento o el número de un documento.',
      ),
    },
    send: text('Save decision', 'Guardar decisión'),
    failed: text('The decision was not saved', 'La decisión no se guardó'),
    export: text('Export case', 'Exportar caso'),
    exportFailed: text('The case was not exported', 'El caso no se exportó'),
  },
  lists: {
    title: text('Sanctions lists', 'Listas de sanciones'),
    lead: text(
      'Each list takes the place of its version before, and all names are compared again.',
      'Cada lista sustituye a su versión anterior, y todos los nombres se comparan otra vez.',
    ),
    names: {
      'ofac-sdn': text('OFAC SDN', 'OFAC SDN'),
      'ofac-consolidated': text('OFAC consolidated', 'OFAC consolidada'),
      'un-consolidated': text('UN consolidated', 'ONU consolidada'),
      'eu-consolidated': text('EU consolidated', 'UE consolidada'),
    } satisfies Record<ListId, string>,
    load: text('Load list', 'Cargar lista'),
    none: text(
      'No list is loaded, so nothing is compared.',
      'No hay ninguna lista cargada, así que nada se compara.',
    ),
    outdated: text(
      (count: number) =>
        count === 1 ? '1 name waits to be compared.' : `${count} names wait to be compared.`,
      count =>
        count === 1 ? '1 nombre espera a ser comparado.' : `${count} nombres esperan a ser comparados.`,
    ),
    empty: {
      title: text('No lists yet', 'Aún no hay listas'),
      detail: text(
        'Download a list from its authority and load it here.',
        'Descargue una lista de su autoridad y cárguela aquí.',
      ),
    },
    columns: {
      at: text('Loaded', 'Cargada'),
      source: text('List', 'Lista'),
      published: text('Published', 'Publicada'),
      entries: text('Entries', 'Entradas'),
      hash: text('SHA-256', 'SHA-256'),
      status: text('Status', 'Estado'),
    },
    current: text('Active', 'Activa'),
    checked: text(
      (at: string) => `Looked at ${at}`,
      at => `Vista ${at}`,
    ),
    replaced: text('Replaced', 'Sustituida'),
  },
  load: {
    title: text('Load list', 'Cargar lista'),
    file: {
      label: text('File', 'Archivo'),
      hint: text(
        'OFAC’s SDN or consolidated list (XML or CSV), or the consolidated list of the UN or the EU (XML), at most 48 MB.',
        'La lista SDN o consolidada de OFAC (XML o CSV), o la lista consolidada de la ONU o de la UE (XML), de 48 MB como máximo.',
      ),
      missing: text('Choose a file.', 'Elija un archivo.'),
      tooLarge: text('The file has more than 48 MB.', 'El archivo tiene más de 48 MB.'),
    },
    smaller: {
      label: text('Size', 'Tamaño'),
      accept: text('Accept far fewer entries than before', 'Aceptar muchas menos entradas que antes'),
      hint: text('Only if the authority removed so many.', 'Solo si la autoridad quitó tantas.'),
    },
    send: text('Load', 'Cargar'),
    failed: text('The list was not loaded', 'La lista no se cargó'),
  },
  threshold: {
    title: text('Threshold', 'Umbral'),
    lead: text(
      (score: string) => `Names count as alike from a score of ${score}. A lower threshold finds more names.`,
      score =>
        `Los nombres cuentan como parecidos a partir de una puntuación de ${score}. Un umbral más bajo encuentra más nombres.`,
    ),
    change: text('Change threshold', 'Cambiar umbral'),
    label: text('Score', 'Puntuación'),
    hint: text(
      (least: string) => `From ${least} to 1. Names are compared again.`,
      least => `De ${least} a 1. Los nombres se comparan otra vez.`,
    ),
    invalid: text(
      (least: string) => `Enter a number from ${least} to 1.`,
      least => `Escriba un número de ${least} a 1.`,
    ),
    send: text('Save', 'Guardar'),
    failed: text('The threshold was not changed', 'El umbral no se cambió'),
  },
})
