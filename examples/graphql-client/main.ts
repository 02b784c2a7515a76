// A program with the typed client: asks, changes, and is told of changes (docs/graphql.md, The client for TypeScript).
//
//   npm install ../../gantry-server-graphql-0.1.0.tgz   # node scripts/pack_clients.ts makes it
//   npm run generate
//   GANTRY_URL=http://127.0.0.1:8080 TOKEN=… npm start
import { createClient, GantryError } from '@gantry-server/graphql';
import { graphql } from './gql/index.ts';

const { GANTRY_URL = 'http://127.0.0.1:8080', TOKEN } = process.env;
const gantry = createClient({ url: GANTRY_URL, token: TOKEN });

const Viewer = graphql(`
  query Viewer {
    viewer { username }
  }
`);
const CreateProject = graphql(`
  mutation CreateProject($input: CreateProjectInput!) {
    createProject(input: $input) { project { fullPath } }
  }
`);
const CreateIssue = graphql(`
  mutation CreateIssue($project: ProjectRef!, $title: String!) {
    createIssue(input: { project: $project, title: $title }) { issue { iid } }
  }
`);
const IssueChanged = graphql(`
  subscription IssueChanged($project: ProjectRef!, $after: String) {
    issueChanged(in: { project: $project }, after: $after) { iid title createdAt }
  }
`);
const Project = graphql(`
  query Project($ref: ProjectRef!) {
    project(ref: $ref) { name }
  }
`);

const { viewer } = await gantry.query(Viewer);
console.log(`I am ${viewer?.username}`);

// Changes since now are sent, however long it takes to subscribe.
const after = new Date().toISOString();
const { createProject } = await gantry.mutate(CreateProject, { input: { name: `Sky ${Date.now()}` } });
const project = createProject?.project?.fullPath ?? '';
await gantry.mutate(CreateIssue, { project, title: 'A star is missing' });

for await (const { issueChanged } of gantry.subscribe(IssueChanged, { project, after })) {
  console.log(`#${issueChanged?.iid} ${issueChanged?.title}`);
  break;
}

try {
  await gantry.query(Project, { ref: 'nobody/nothing' });
} catch (error) {
  if (!(error instanceof GantryError)) throw error;
  console.log(`${error.code}: ${error.message}`);
}
