// What Decap does with a repository when it asks GraphQL: it lists the files of a folder, and reads them with who changed them last.
const assert = require('node:assert/strict');

// The backend comes with pieces of pages, which look for a browser when they are loaded.
const element = () => ({ style: {}, setAttribute() {}, appendChild() {} });
Object.assign(globalThis, {
  window: globalThis,
  self: globalThis,
  document: {
    createElement: element,
    createTextNode: element,
    querySelectorAll: () => [],
    addEventListener() {},
    head: element(),
    documentElement: element(),
  },
  localStorage: { getItem: () => null, setItem() {}, removeItem() {} },
});
const { API } = require('decap-cms-backend-gitlab');

const [url, token, repo] = process.argv.slice(2);

async function walk() {
  const api = new API({
    apiRoot: `${url}/api/v4`,
    graphQLAPIRoot: `${url}/api/graphql`,
    useGraphQL: true,
    token,
    repo,
    branch: 'main',
    squashMerges: false,
    initialWorkflowStatus: 'draft',
    cmsLabelPrefix: '',
  });
  const files = await api.listAllFiles('posts', true, 'main');
  assert.deepEqual(
    files.map(({ path }) => path),
    ['posts/deep/three.md', 'posts/one.md', 'posts/two.md'],
  );
  const read = await api.readFilesGraphQL(files);
  assert.deepEqual(
    read.map(({ data, file }) => [file.path, data, file.author, Number.isNaN(Date.parse(file.updatedOn))]),
    ['deep/three', 'one', 'two'].map((name) => [`posts/${name}.md`, `${name}\n`, read[0].file.author, false]),
  );
  process.stdout.write('walked\n');
}

walk().then(
  () => process.exit(0),
  (error) => {
    process.stderr.write(`${error.stack}\n`);
    process.exit(1);
  },
);
