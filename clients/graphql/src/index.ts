export { type Client, type ClientOptions, createClient, type SubscribeOptions } from './client.ts';
export type { Document, Variables } from './document.ts';
export { GantryError, type GantryErrorExtensions, type GantryGraphQLError } from './errors.ts';
export { type Scalars, scalars } from './scalars.ts';
