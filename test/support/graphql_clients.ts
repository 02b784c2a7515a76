import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ClientPackage } from './client_package.ts';
import type { Finished } from './server_process.ts';

export const graphqlClients = new ClientPackage('graphql_clients');

/** Has graphql-codegen and relay-compiler read the schema of a server, and write types and artifacts for the documents. */
export async function generateTypes(url: string): Promise<void> {
  const schema = await fetch(`${url}/graphql/schema.graphql`);
  const generated = path.join(graphqlClients.directory, 'generated');
  mkdirSync(generated, { recursive: true });
  await graphqlClients.generate('graphql-codegen', ['--config', 'codegen.ts'], { SCHEMA_URL: `${url}/graphql` });
  writeFileSync(path.join(generated, 'schema.graphql'), await schema.text());
  await graphqlClients.generate('relay-compiler', ['relay.config.json']);
}

/** Runs a program, e.g. `apollo/cache`, against a server. */
export function runClient(program: string, url: string, token: string): Promise<Finished> {
  const relay = program.startsWith('relay/') ? ['--import', './relay/register.ts'] : [];
  return graphqlClients.run(program, url, token, relay);
}
