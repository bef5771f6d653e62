import { scores } from '@windlass/contracts/aggregator/routing.ts'
import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './texts.ts'

export const policy: Translation<typeof english.policy> = {
  title: 'Política de rutas',
  lead: 'Cuánto cuenta cada puntuación al elegir el mejor anchor. Los pesos suman 1.',
  sum: sum => `Suma ${sum}`,
  sumWrong: 'Los pesos tienen que sumar exactamente 1',
  weightWrong: name => `${name}: escriba un número de 0 a 1 con 6 decimales como máximo`,
  name: { label: 'Nombre de la versión', hint: 'Explica el cambio en el historial.' },
  replay: 'Repetir decisiones pasadas',
  save: 'Guardar y activar',
  failed: 'La política de rutas no se cambió',
  replayed: {
    title: 'Efecto en las decisiones pasadas',
    none: 'No hay decisiones pasadas que comparar.',
    changed: (changed, all) =>
      changed === 0
        ? `Ninguna de ${all} decisiones cambiaría.`
        : `${changed} de ${all} decisiones elegirían otro anchor.`,
    columns: { anchor: 'Anchor', before: 'Ganó', after: 'Ganaría', change: 'Cambio' },
  },
  history: {
    title: 'Historial',
    columns: {
      version: 'Versión',
      name: 'Nombre',
      weights: scores.map(({ label }) => label).join(' / '),
      created: 'Creada',
      state: 'Estado',
    },
    active: 'Activa',
    activate: version => `Activar la versión ${version}`,
  },
}

export const routing: Translation<typeof english.routing> = {
  title: 'Explicador de rutas',
  lead: 'A qué anchor iría ahora una transacción y por qué: cada puntuación y la regla que excluyó a cada uno de los demás.',
  fields: {
    amount: { label: 'Importe', hint: 'En unidades del activo.' },
    asset: { label: 'Activo', hint: 'CODE o CODE:ISSUER.' },
    rail: { label: 'Medio de pago', hint: 'Como UPI o SEPA.' },
    region: { label: 'País', hint: 'Dos letras. Cualquier país si queda vacío.' },
  },
  missing: {
    amount: 'Escriba un importe',
    asset: 'Escriba un activo',
    rail: 'Escriba un medio de pago',
  },
  route: 'Buscar la ruta',
  failed: 'La ruta no se calculó',
  empty: {
    title: 'Ninguna ruta todavía',
    detail: 'Describa arriba una transacción. La decisión recibe su propia dirección, que puede compartir.',
  },
  chosen: slug => `Mejor anchor: ${slug}`,
  request: (amount, asset, rail, region) => `${amount} ${asset} por ${rail}${region ? ` en ${region}` : ''}`,
  decidedAt: when => `Decidida el ${when}`,
  stale: {
    title: 'Decidida mientras la base de datos no estaba disponible',
    detail: 'El agregador usó los últimos datos de anchors que tenía.',
  },
  permalink: 'la dirección de esta decisión',
  candidates: {
    title: (listed, all) =>
      listed === all ? `Anchors admisibles (${all})` : `Anchors admisibles (los ${listed} mejores de ${all})`,
    columns: {
      rank: 'Puesto',
      anchor: 'Anchor',
      fee: 'Comisión',
      score: 'Puntuación',
      whatIf: 'Con sus pesos',
    },
    show: slug => `Mostrar la puntuación de ${slug}`,
  },
  sum: {
    title: slug => `Puntuación de ${slug}`,
    term: (score, weight, product) => `${score} × ${weight} = ${product}`,
    whole: 'Total',
  },
  whatIf: {
    title: 'Probar otros pesos',
    lead: 'Se aplican a los anchors de arriba. No se guarda nada.',
    wins: slug => `Ganaría ${slug}.`,
    same: 'Ganaría el mismo anchor.',
    sumWrong: 'Los pesos tienen que ser números de 0 a 1 que sumen 1.',
    policy: 'Cambiar la política de rutas',
  },
  reasoning: 'Explicación',
  refused: {
    title: 'Ningún anchor es admisible',
    lead: 'Cada anchor se cuenta en la primera regla que no cumple.',
  },
  rejected: {
    title: count => `Excluidos (${count})`,
    none: 'Todos los anchors registrados eran admisibles.',
    examples: 'Ejemplos',
    columns: { anchor: 'Anchor', rule: 'Regla', detail: 'Motivo' },
    rules: {
      asset: 'No emite el activo',
      rail: 'No ofrece el medio de pago',
      region: 'No atiende el país',
      status: 'No está activo',
      availability: 'No está disponible',
      domain: 'Dominio sin verificar',
      external: 'Anchor de otra plataforma',
      pair: 'Sin tipo de cambio para la moneda',
      limits: 'Fuera de sus límites',
      capacity: 'Liquidez insuficiente',
    },
  },
}
