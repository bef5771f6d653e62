import { pino, type Logger } from 'pino'

/** JSON lines on standard output; credentials are redacted wherever an object is logged with its headers. */
export function createLogger(service: string, level = 'info'): Logger {
  return pino({
    name: service,
    level,
    redact: {
      paths: [
        '*.headers.cookie',
        '*.headers.authorization',
        '*.headers["x-service-secret"]',
        '*.headers["x-windlass-proxy"]',
        '*.password',
        '*.token',
        '*.secret',
        '*.code_hash',
      ],
      censor: '[redacted]',
    },
  })
}
