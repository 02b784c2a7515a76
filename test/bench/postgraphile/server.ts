import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { given, listen } from '../serve.ts';

// PostGraphile, as its documentation sets it up for production, with nothing between: nobody is authenticated, and everybody
// sees everything.

/** What is used of packages that are there only when the bench has installed them. */
interface PostGraphile {
  postgraphile(preset: object): { createServ(grafserv: unknown): { addTo(server: Server): Promise<void> } };
}

const load = createRequire(import.meta.url);
const { postgraphile } = load('postgraphile') as PostGraphile;
const { PostGraphileAmberPreset } = load('postgraphile/presets/amber');
const { makePgService } = load('postgraphile/adaptors/pg') as { makePgService(options: object): unknown };
const { grafserv } = load('postgraphile/grafserv/node');

const connectionString = given().databaseUrl;
const poolConfig = { max: 10, options: '-c TimeZone=UTC' };
const preset = {
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString, poolConfig, schemas: ['public'] })],
  grafserv: { graphqlPath: '/graphql', graphiql: false, watch: false },
  grafast: { explain: false },
};
const server = createServer();
server.on('error', (error) => {
  throw error;
});
await postgraphile(preset).createServ(grafserv).addTo(server);
await listen(server);
