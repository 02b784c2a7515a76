import { readFileSync } from 'node:fs';
import { buildSchema, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { packagePath } from '#src/platform/package_root.ts';
import { clientDocument, clientDocuments } from '../support/client_documents.ts';

const schema = buildSchema(readFileSync(packagePath('compat/schema.graphql'), 'utf8'));
const documents = clientDocuments().map((name) => name.split('/') as [string, string]);
/** Fields of paid features, which the schema does not have: the error is what clients expect. */
const PAID = [
  'gitkraken/MergeRequestRequestChanges',
  'gitlabform/groupMemberRoles',
  'mcp-structured-world/GetLicenseInfo',
];

describe('The documents of clients', () => {
  it('are those of 22 programs', () => {
    expect(documents.length).toBeGreaterThanOrEqual(197);
    expect(new Set(documents.map(([client]) => client)).size).toBe(22);
  });

  it.each(documents)('of %s are valid in the compatibility schema: %s', (client, operation) => {
    const errors = validate(schema, parse(clientDocument(client, operation)));
    const isPaid = PAID.includes(`${client}/${operation}`);
    expect(errors.map(({ message }) => message)).toEqual(isPaid ? [expect.stringMatching(/^Cannot query field/)] : []);
  });
});
