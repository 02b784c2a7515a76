import { preset } from '@gantry-server/graphql/preset';
import type { CodegenConfig } from '@graphql-codegen/cli';

const config: CodegenConfig = {
  schema: 'node_modules/@gantry-server/graphql/schema.graphql',
  documents: 'main.ts',
  generates: { 'gql/': { preset } },
  // Node runs TypeScript by its own name.
  importExtension: '.ts',
};

export default config;
