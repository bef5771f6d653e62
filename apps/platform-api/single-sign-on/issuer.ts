/** Whether `openid-client` takes an issuer for the address of a configuration, which may name any other. */
export const isConfigurationAddress = (issuer: string): boolean =>
  new URL(issuer).href.includes('/.well-known/')
