/** Seconds between two questions of an application (RFC 8628, 3.5). */
export const POLL_INTERVAL = 5;
/** Seconds within which the user must decide. */
export const DEVICE_CODE_LIFETIME = 300;
/** The grant type of the token endpoint. */
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
