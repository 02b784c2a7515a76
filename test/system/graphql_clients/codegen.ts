import type { CodegenConfig } from '@graphql-codegen/cli';

const { SCHEMA_URL } = process.env;

/** Types for the documents of Apollo and urql. Every scalar of the schema has a type, else nothing is generated. */
const config: CodegenConfig = {
  schema: SCHEMA_URL,
  documents: 'documents.ts',
  importExtension: '.ts',
  generates: {
    'generated/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        strictScalars: true,
        useTypeImports: true,
        scalars: {
          CommitDateTime: 'string',
          Date: 'string',
          DateTime: 'string',
          GroupRef: { input: 'string | number', output: 'never' },
          HTML: 'string',
          JSON: 'unknown',
          Long: 'number',
          NamespaceRef: { input: 'string | number', output: 'never' },
          ProjectRef: { input: 'string | number', output: 'never' },
          Sha: 'string',
          URL: 'string',
          Upload: { input: 'File', output: 'never' },
          UserMatch: { input: 'string | number', output: 'never' },
        },
      },
    },
  },
};

export default config;
