/* What @hey-api/openapi-ts reads and writes; without `./` it would look the document up in a registry. */
export default {
  input: './generated/openapi.json',
  output: { path: './generated/hey_api', module: { extension: '.ts' } },
  plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
};
