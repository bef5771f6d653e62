import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const provisioning = catalogue({
  title: {
    pending: text('Your anchor is queued', 'Su anchor está en la cola'),
    running: text('Setting up your anchor', 'Instalando su anchor'),
    failed: text('Setup failed', 'La instalación falló'),
    completed: text('Your anchor is live', 'Su anchor está en marcha'),
  },
  lead: {
    pending: text(
      'Setup starts in a moment. You can close this page and return to its address later.',
      'La instalación empieza en un momento. Puede cerrar esta página y volver después a su dirección.',
    ),
    running: text(
      'This usually takes less than a minute. You can close this page and return to its address later.',
      'Suele tardar menos de un minuto. Puede cerrar esta página y volver después a su dirección.',
    ),
    failed: text(
      'Completed stages are kept. Keys and accounts are never created twice.',
      'Las etapas completadas se conservan. Las claves y cuentas nunca se crean dos veces.',
    ),
    completed: text(
      'Wallets can discover it and sign in. It is listed for routing.',
      'Las billeteras pueden descubrirlo e iniciar sesión. Está incluido en las rutas.',
    ),
  },
  jobId: text('Job ID', 'ID del trabajo'),
  live: text('Live', 'En directo'),
  polling: text('Updating every 2 s', 'Se actualiza cada 2 s'),
  reconnecting: text('Reconnecting', 'Reconectando'),
  stages: text('Stages', 'Etapas'),
  total: text(
    (duration: string) => `Set up in ${duration}`,
    duration => `Instalado en ${duration}`,
  ),
  stageFailed: text(
    (position: number, name: string) => `Stage ${position} failed: ${name}`,
    (position, name) => `Falló la etapa ${position}: ${name}`,
  ),
  stalled: text(
    (ago: string) => `No progress since ${ago}`,
    ago => `Sin avance desde ${ago}`,
  ),
  stalledDetail: text(
    'The worker may have stopped. Retry to continue from the current stage.',
    'Puede que el proceso se haya detenido. Reintente para continuar desde la etapa actual.',
  ),
  notRetryable: text(
    'A retry cannot fix this. Contact support with the job ID.',
    'Un reintento no puede arreglarlo. Contacte con soporte e indique el ID del trabajo.',
  ),
  errorCode: text('Error code', 'Código de error'),
  retry: text(
    (position: number) => `Retry from stage ${position}`,
    position => `Reintentar desde la etapa ${position}`,
  ),
  retryRefused: text('Retry failed', 'El reintento falló'),
  unknown: {
    title: text('Job not found', 'Trabajo no encontrado'),
    detail: text(
      'The address may be incomplete. Open it again from where you copied it.',
      'Puede que la dirección esté incompleta. Ábrala de nuevo desde donde la copió.',
    ),
  },
  result: {
    title: text('Your anchor', 'Su anchor'),
    domain: text('Home domain', 'Dominio'),
    asset: text('Asset', 'Activo'),
    issuer: text('Issuing account', 'Cuenta emisora'),
    distribution: text('Distribution account', 'Cuenta de distribución'),
    signingKey: text('Signing key (SEP-10)', 'Clave de firma (SEP-10)'),
    onLedger: text('View on the ledger', 'Ver en la red'),
    links: text('Endpoints', 'Direcciones'),
  },
  next: {
    workspace: text('Open workspace', 'Abrir el espacio'),
    detail: text(
      'Point a wallet at the home domain. It reads stellar.toml and signs in with SEP-10.',
      'Apunte una billetera al dominio. Lee stellar.toml e inicia sesión con SEP-10.',
    ),
  },
})
