import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './texts.ts'

export const compliance: Translation<typeof english.texts> = {
  hits: {
    title: 'Por revisar',
    lead: 'Nombres parecidos a los de una lista de sanciones y transferencias que superan una regla de velocidad. Nada se paga ni se devuelve por ellos hasta que usted decida.',
    empty: {
      title: 'Nada por revisar',
      detail:
        'Aquí aparecen los nombres parecidos a los de sus listas y las transferencias que superan sus reglas.',
    },
    columns: {
      at: 'Encontrado',
      name: 'Nombre',
      role: 'Papel',
      entry: 'En la lista o retenido',
      score: 'Puntuación',
      status: 'Estado',
    },
    statuses: { waiting: 'Por revisar', cleared: 'Descartado', confirmed: 'Confirmado' },
    roles: {
      customer: 'Cliente',
      organization: 'Organización del cliente',
      verified: 'Cliente, según su documento',
      payer: 'Pagador',
      beneficiary: 'Beneficiario',
    },
  },
  hit: {
    title: 'Nombre en una lista de sanciones',
    fields: {
      name: 'Nombre',
      role: 'Papel',
      entry: 'Nombre en la lista',
      list: 'Lista',
      detail: 'La lista dice',
      score: 'Puntuación',
      told: 'Nombre que dio el cliente',
      verified: 'Nombre en su documento',
      holds: 'Transacciones retenidas',
    },
    unknownName: 'No se conoce',
    entryOf: (source, id) => `${source}, entrada ${id}`,
    decisions: 'Decisiones',
    decided: { clear: 'Descartado', confirm: 'Confirmado' },
    decision: {
      label: '¿Es la misma persona?',
      missing: 'Elija una opción.',
      clear: { label: 'No, descartar', hint: 'Lo retenido continúa.' },
      confirm: {
        label: 'Sí, confirmar',
        hint: 'Sigue retenido. Más tarde solo otro propietario o administrador puede descartarlo.',
      },
    },
    reason: { label: 'Motivo', hint: 'Forma parte del caso.', missing: 'Escriba el motivo.' },
    evidence: {
      label: 'Prueba',
      hint: 'Lo que lo demuestra, como una fecha de nacimiento o el número de un documento.',
    },
    send: 'Guardar decisión',
    failed: 'La decisión no se guardó',
    export: 'Exportar caso',
    exportFailed: 'El caso no se exportó',
  },
  lists: {
    title: 'Listas de sanciones',
    lead: 'Cada lista sustituye a la anterior de su autoridad, y todos los nombres se comparan otra vez.',
    load: 'Cargar lista',
    none: 'No hay ninguna lista cargada, así que nada se compara.',
    outdated: count =>
      count === 1 ? '1 nombre espera a ser comparado.' : `${count} nombres esperan a ser comparados.`,
    empty: { title: 'Aún no hay listas', detail: 'Descargue una lista de su autoridad y cárguela aquí.' },
    columns: {
      at: 'Cargada',
      source: 'Lista',
      published: 'Publicada',
      entries: 'Entradas',
      hash: 'SHA-256',
      status: 'Estado',
    },
    current: 'Activa',
    replaced: 'Sustituida',
  },
  load: {
    title: 'Cargar lista',
    file: {
      label: 'Archivo',
      hint: 'La lista SDN de OFAC (XML o CSV), o la lista consolidada de la ONU o de la UE (XML), de 48 MB como máximo.',
      missing: 'Elija un archivo.',
      tooLarge: 'El archivo tiene más de 48 MB.',
    },
    smaller: {
      label: 'Tamaño',
      accept: 'Aceptar muchas menos entradas que antes',
      hint: 'Solo si la autoridad quitó tantas.',
    },
    send: 'Cargar',
    failed: 'La lista no se cargó',
  },
  threshold: {
    title: 'Umbral',
    lead: score =>
      `Los nombres cuentan como parecidos a partir de una puntuación de ${score}. Un umbral más bajo encuentra más nombres.`,
    change: 'Cambiar umbral',
    label: 'Puntuación',
    hint: least => `De ${least} a 1. Los nombres se comparan otra vez.`,
    invalid: least => `Escriba un número de ${least} a 1.`,
    send: 'Guardar',
    failed: 'El umbral no se cambió',
  },
}
