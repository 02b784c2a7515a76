// Prints what Backstage's provider of people finds on a server below a group, or on all of it: `node discover.js URL TOKEN RELATION [GROUP]`.
import { ConfigReader } from '@backstage/config';
import { GitlabOrgDiscoveryEntityProvider } from '@backstage/plugin-catalog-backend-module-gitlab';

const [url, token, relation, group] = process.argv.slice(2);
const { host } = new URL(url);
const config = new ConfigReader({
  integrations: { gitlab: [{ host, baseUrl: url, apiBaseUrl: `${url}/api/v4`, token }] },
  catalog: {
    providers: {
      gitlab: { it: { host, group, orgEnabled: true, restrictUsersToGroup: Boolean(group), relations: [relation] } },
    },
  },
});

const problem = (...words) => console.error(...words);
const logger = { child: () => logger, debug() {}, info() {}, warn: problem, error: problem };
const schedule = { run: ({ fn }) => fn() };

const [provider] = GitlabOrgDiscoveryEntityProvider.fromConfig(config, { logger, schedule });
await provider.connect({
  applyMutation: async ({ entities }) => {
    const found = entities.map(({ entity: { kind, metadata, spec } }) => ({ kind, name: metadata.name, spec }));
    console.log(JSON.stringify(found));
  },
});
