import { scores, type EligibilityRule } from '@windlass/contracts/aggregator/routing.ts'
import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const policy = catalogue({
  title: text('Routing policy', 'Política de rutas'),
  lead: text(
    'How much each score counts when the best anchor is chosen. The weights sum to 1.',
    'Cuánto cuenta cada puntuación al elegir el mejor anchor. Los pesos suman 1.',
  ),
  sum: text(
    (sum: string) => `Sum ${sum}`,
    sum => `Suma ${sum}`,
  ),
  sumWrong: text('The weights must sum to exactly 1', 'Los pesos tienen que sumar exactamente 1'),
  weightWrong: text(
    (name: string) => `${name}: enter a number from 0 to 1 with at most 6 decimals`,
    name => `${name}: escriba un número de 0 a 1 con 6 decimales como máximo`,
  ),
  name: {
    label: text('Version name', 'Nombre de la versión'),
    hint: text('Explains the change in the history.', 'Explica el cambio en el historial.'),
  },
  replay: text('Replay past decisions', 'Repetir decisiones pasadas'),
  save: text('Save and activate', 'Guardar y activar'),
  failed: text('The routing policy was not changed', 'La política de rutas no se cambió'),
  replayed: {
    title: text('Effect on past decisions', 'Efecto en las decisiones pasadas'),
    none: text('There are no past decisions to compare.', 'No hay decisiones pasadas que comparar.'),
    changed: text(
      (changed: number, all: number) =>
        changed === 0
          ? `None of ${all} decisions would change.`
          : `${changed} of ${all} decisions would choose another anchor.`,
      (changed, all) =>
        changed === 0
          ? `Ninguna de ${all} decisiones cambiaría.`
          : `${changed} de ${all} decisiones elegirían otro anchor.`,
    ),
    columns: {
      anchor: text('Anchor', 'Anchor'),
      before: text('Won', 'Ganó'),
      after: text('Would win', 'Ganaría'),
      change: text('Change', 'Cambio'),
    },
  },
  history: {
    title: text('History', 'Historial'),
    columns: {
      version: text('Version', 'Versión'),
      name: text('Name', 'Nombre'),
      weights: text(
        scores.map(({ label }) => label).join(' / '),
        scores.map(({ label }) => label).join(' / '),
      ),
      created: text('Created', 'Creada'),
      state: text('Status', 'Estado'),
    },
    active: text('Active', 'Activa'),
    activate: text(
      (version: number) => `Activate version ${version}`,
      version => `Activar la versión ${version}`,
    ),
  },
})

export const routing = catalogue({
  title: text('Route explainer', 'Explicador de rutas'),
  lead: text(
    'Which anchor a transaction would go to now, and why: every score, and the rule that excluded each other anchor.',
    'A qué anchor iría ahora una transacción y por qué: cada puntuación y la regla que excluyó a cada uno de los demás.',
  ),
  fields: {
    amount: {
      label: text('Amount', 'Importe'),
      hint: text('In units of the asset.', 'En unidades del activo.'),
    },
    asset: { label: text('Asset', 'Activo'), hint: text('CODE or CODE:ISSUER.', 'CODE o CODE:ISSUER.') },
    rail: { label: text('Rail', 'Medio de pago'), hint: text('Such as UPI or SEPA.', 'Como UPI o SEPA.') },
    region: {
      label: text('Country', 'País'),
      hint: text('Two letters. Any country if empty.', 'Dos letras. Cualquier país si queda vacío.'),
    },
  },
  missing: {
    amount: text('Enter an amount', 'Escriba un importe'),
    asset: text('Enter an asset', 'Escriba un activo'),
    rail: text('Enter a rail', 'Escriba un medio de pago'),
  },
  route: text('Find route', 'Buscar la ruta'),
  failed: text('The route was not computed', 'La ruta no se calculó'),
  empty: {
    title: text('No route yet', 'Ninguna ruta todavía'),
    detail: text(
      'Describe a transaction above. The decision gets its own address, which you can share.',
      'Describa arriba una transacción. La decisión recibe su propia dirección, que puede compartir.',
    ),
  },
  chosen: text(
    (slug: string) => `Best anchor: ${slug}`,
    slug => `Mejor anchor: ${slug}`,
  ),
  request: text(
    (amount: string, asset: string, rail: string, region: string | undefined) =>
      `${amount} ${asset} over ${rail}${region ? ` in ${region}` : ''}`,
    (amount, asset, rail, region) => `${amount} ${asset} por ${rail}${region ? ` en ${region}` : ''}`,
  ),
  decidedAt: text(
    (when: string) => `Decided ${when}`,
    when => `Decidida el ${when}`,
  ),
  stale: {
    title: text(
      'Decided while the database was unavailable',
      'Decidida mientras la base de datos no estaba disponible',
    ),
    detail: text(
      'The aggregator used the last anchor data it had.',
      'El agregador usó los últimos datos de anchors que tenía.',
    ),
  },
  permalink: text('the address of this decision', 'la dirección de esta decisión'),
  candidates: {
    title: text(
      (listed: number, all: number) =>
        listed === all ? `Eligible anchors (${all})` : `Eligible anchors (best ${listed} of ${all})`,
      (listed, all) =>
        listed === all
          ? `Anchors admisibles (${all})`
          : `Anchors admisibles (los ${listed} mejores de ${all})`,
    ),
    columns: {
      rank: text('Rank', 'Puesto'),
      anchor: text('Anchor', 'Anchor'),
      fee: text('Fee', 'Comisión'),
      score: text('Score', 'Puntuación'),
      whatIf: text('With your weights', 'Con sus pesos'),
    },
    show: text(
      (slug: string) => `Show the score of ${slug}`,
      slug => `Mostrar la puntuación de ${slug}`,
    ),
  },
  sum: {
    title: text(
      (slug: string) => `Score of ${slug}`,
      slug => `Puntuación de ${slug}`,
    ),
    term: text(
      (score: string, weight: string, product: string) => `${score} × ${weight} = ${product}`,
      (score, weight, product) => `${score} × ${weight} = ${product}`,
    ),
    whole: text('Total', 'Total'),
  },
  whatIf: {
    title: text('Try other weights', 'Probar otros pesos'),
    lead: text(
      'Applied to the anchors above. Nothing is saved.',
      'Se aplican a los anchors de arriba. No se guarda nada.',
    ),
    wins: text(
      (slug: string) => `${slug} would win.`,
      slug => `Ganaría ${slug}.`,
    ),
    same: text('The same anchor would win.', 'Ganaría el mismo anchor.'),
    sumWrong: text(
      'The weights must be numbers from 0 to 1 that sum to 1.',
      'Los pesos tienen que ser números de 0 a 1 que sumen 1.',
    ),
    policy: text('Change the routing policy', 'Cambiar la política de rutas'),
  },
  reasoning: text('Explanation', 'Explicación'),
  refused: {
    title: text('No anchor is eligible', 'Ningún anchor es admisible'),
    lead: text(
      'Each anchor is counted under the first rule it fails.',
      'Cada anchor se cuenta en la primera regla que no cumple.',
    ),
  },
  rejected: {
    title: text(
      (count: number) => `Excluded (${count})`,
      count => `Excluidos (${count})`,
    ),
    none: text('Every registered anchor was eligible.', 'Todos los anchors registrados eran admisibles.'),
    examples: text('Examples', 'Ejemplos'),
    columns: {
      anchor: text('Anchor', 'Anchor'),
      rule: text('Rule', 'Regla'),
      detail: text('Reason', 'Motivo'),
    },
    rules: {
      asset: text('Does not issue the asset', 'No emite el activo'),
      rail: text('Does not offer the rail', 'No ofrece el medio de pago'),
      region: text('Does not serve the country', 'No atiende el país'),
      status: text('Not active', 'No está activo'),
      availability: text('Not available', 'No está disponible'),
      domain: text('Domain not verified', 'Dominio sin verificar'),
      external: text('Anchor of another platform', 'Anchor de otra plataforma'),
      pair: text('No rate for the currency', 'Sin tipo de cambio para la moneda'),
      limits: text('Outside its limits', 'Fuera de sus límites'),
      capacity: text('Not enough liquidity', 'Liquidez insuficiente'),
    } satisfies Record<EligibilityRule, string>,
  },
})
