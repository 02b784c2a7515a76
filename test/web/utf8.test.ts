import { describe, expect } from 'vitest';
import { itEveryNth } from '../support/long.ts';
import { startWorld } from '../support/world.ts';

const world = await startWorld();
const owner = await world.user();
const project = await world.project({ owner, visibility: 'public' });
const token = { 'private-token': owner.token };
const forms = { 'content-type': 'application/x-www-form-urlencoded' };
const json = { 'content-type': 'application/json' };
const browser = { accept: 'text/html' };
const issues = `/api/v4/projects/${project.id}/issues`;

/** `<?>` stands for a byte that is not UTF-8, and `<!>` for U+FFFD, which is. */
function bytes(text: string): Buffer {
  const latin = Buffer.from(text).toString('latin1').replaceAll('<?>', '\xff').replaceAll('<!>', '\xef\xbf\xbd');
  return Buffer.from(latin, 'latin1');
}

const boundary = 'X-BOUNDARY';
const multipart = { 'content-type': `multipart/form-data; boundary=${boundary}` };
const part = ([disposition, value]: [string, string]) =>
  `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${value}\r\n`;
const parts = (...list: [string, string][]) => `${list.map(part).join('')}--${boundary}--\r\n`;

const upload = (name: string, other: string) =>
  parts(
    [
      'name="operations"',
      JSON.stringify({ query: UPLOAD, variables: { input: { project: project.id, file: null }, other } }),
    ],
    ['name="map"', '{"0":["variables.input.file"]}'],
    [`name="0"; filename="${name}"`, 'content'],
  );
const UPLOAD = 'mutation ($input: UploadFileInput!) { uploadFile(input: $input) { upload { url } } }';

async function send(method: string, path: string, headers: Record<string, string>, body?: string) {
  const answer = await world.send(method, path, { headers, ...(body === undefined ? {} : { body: bytes(body) }) });
  const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
  return { status: answer.status, text };
}

type Asked = [method: string, path: string, headers: Record<string, string>, body?: string];

const BROKEN: Record<string, [Asked, string]> = {
  'REST, in the path': [['GET', '/api/v4/projects/a%2f%ff', token], '{"error":"The path is not valid UTF-8"}'],
  'REST, in the query': [['GET', `${issues}?search=a%C3`, token], '{"error":"search is not valid UTF-8"}'],
  'REST, in a name of the query': [
    ['GET', `${issues}?a%80=1`, token],
    '{"error":"The name of a parameter is not valid UTF-8"}',
  ],
  'REST, in a form': [
    ['POST', issues, { ...token, ...forms }, 'title=%ED%A0%80'],
    '{"error":"title is not valid UTF-8"}',
  ],
  'REST, in a form as it is': [
    ['POST', issues, { ...token, ...forms }, 'title=a<?>'],
    '{"error":"The body is not valid UTF-8"}',
  ],
  'REST, in JSON': [
    ['POST', issues, { ...token, ...json }, '{"title":"<?>"}'],
    '{"error":"The body is not valid UTF-8"}',
  ],
  'REST, in large JSON': [
    [
      'POST',
      `/api/v4/projects/${project.id}/repository/commits`,
      { ...token, ...json },
      `{"branch":"main","commit_message":"m","actions":[{"action":"create","file_path":"a","content":"${'x'.repeat(9 * 1024 * 1024)}<?>"}]}`,
    ],
    '{"error":"The body is not valid UTF-8"}',
  ],
  'REST, in multipart': [
    ['POST', issues, { ...token, ...multipart }, parts(['name="title"', '<?>'])],
    '{"error":"title is not valid UTF-8"}',
  ],
  'REST, in the name of a file': [
    [
      'POST',
      `/api/v4/projects/${project.id}/uploads`,
      { ...token, ...multipart },
      parts(['name="file"; filename="a<?>.txt"', 'x']),
    ],
    '{"error":"The file name of file is not valid UTF-8"}',
  ],
  'a runner': [
    ['POST', '/api/v4/jobs/request', { ...json }, '{"token":"<?>"}'],
    '{"error":"The body is not valid UTF-8"}',
  ],
  'GraphQL, in the query': [['GET', '/graphql?query=%7Ba%ff%7D', {}], 'query is not valid UTF-8'],
  'GraphQL, in JSON': [['POST', '/graphql', json, '{"query":"{ a<?> }"}'], 'The body is not valid UTF-8'],
  'GraphQL, in a form': [['POST', '/graphql', forms, 'query=%7B%ff%7D'], 'The body is not valid UTF-8'],
  'GraphQL, in multipart': [
    ['POST', '/graphql', { ...token, ...multipart }, upload('a.txt', '<?>')],
    'not valid UTF-8',
  ],
  'GraphQL, in the name of a file': [
    ['POST', '/graphql', { ...token, ...multipart }, upload('a<?>.txt', '')],
    'not valid UTF-8',
  ],
  'a page': [['GET', '/users/sign_in?return_to=%ff', browser], '<h1>Bad request</h1>'],
  'the path of a page': [['GET', '/%ff', browser], '<h1>Bad request</h1>'],
  'a form of a page': [['POST', '/users/sign_in', { ...browser, ...forms }, 'login=%ff'], '<h1>Bad request</h1>'],
  'a form of a page as it is': [
    ['POST', '/users/sign_in', { ...browser, ...forms }, 'login=<?>'],
    '<h1>Bad request</h1>',
  ],
  'git over HTTP': [['GET', '/a/%ff.git/info/refs?service=git-upload-pack', {}], '{"error":"400 Bad Request"}'],
  'OAuth, in the query': [['POST', '/oauth/token?grant_type=%ff', forms, 'a=b'], '"error":"invalid_request"'],
  'OAuth, in a form': [
    ['POST', '/oauth/token', forms, 'grant_type=password&username=%ff'],
    '"error":"invalid_request"',
  ],
  'OAuth, in JSON': [['POST', '/oauth/token', json, '{"grant_type":"<?>"}'], '"error":"invalid_request"'],
  'OAuth, where people are asked': [['GET', '/oauth/authorize?client_id=%ff', browser], '<h1>Bad request</h1>'],
};

const SOUND: Record<string, [Asked, number]> = {
  'escapes that are none': [['GET', `${issues}?search=100%&labels=%zz`, token], 200],
  'U+FFFD in the query': [['GET', `${issues}?search=%EF%BF%BD`, token], 200],
  'U+FFFD in a form': [['POST', issues, { ...token, ...forms }, 'title=<!>'], 201],
  'U+FFFD in JSON': [['POST', issues, { ...token, ...json }, '{"title":"<!> \\ufffd é"}'], 201],
  'U+FFFD in multipart': [['POST', issues, { ...token, ...multipart }, parts(['name="title"', 'a <!> é'])], 201],
  'U+FFFD in GraphQL': [['POST', '/graphql', { ...token, ...multipart }, upload('<!>é.txt', '<!>')], 200],
  'bytes of a file': [
    [
      'POST',
      `/api/v4/projects/${project.id}/uploads`,
      { ...token, ...multipart },
      parts(['name="file"; filename="é.bin"', '<?><?>']),
    ],
    201,
  ],
};

describe('What is not in UTF-8', () => {
  itEveryNth(8, Object.entries(BROKEN))('is refused: %s', async (_place, [asked, said]) => {
    const { status, text } = await send(...asked);
    expect([status, text]).toEqual([400, expect.stringContaining(said)]);
  });

  itEveryNth(4, Object.entries(SOUND))('is not found in %s', async (_place, [asked, status]) => {
    const answer = await send(...asked);
    expect([answer.status, answer.text]).toEqual([status, expect.not.stringContaining('UTF-8')]);
  });
});
