import { isDeepStrictEqual } from 'node:util';
import { send } from './load.ts';
import { graphqlList, rest } from './measurements.ts';

const paths = [
  'projects/1/issues?per_page=100',
  'projects/2/issues?state=closed&page=3&per_page=20',
  'projects/3/issues/7',
  'projects/4/labels',
];
const headers = ['x-total', 'x-total-pages', 'x-per-page', 'x-page', 'x-next-page', 'x-prev-page'];

/**
 * Makes sure that the two servers do the same work: equal answers but for the base URL.
 *
 * @throws Error with the first difference
 */
export async function requireAgreement(gantry: string, comparator: string): Promise<void> {
  for (const path of paths) {
    const [ours, theirs] = await Promise.all([read(gantry, path), read(comparator, path)]);
    if (!isDeepStrictEqual(ours, theirs)) {
      throw new Error(`The servers disagree on ${path}:\n${excerpt(ours)}\n${excerpt(theirs)}`);
    }
  }
  await requireGraphqlList(gantry);
}

async function read(url: string, path: string): Promise<unknown[]> {
  const answer = await send(url, rest(path));
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status} for ${path}: ${answer.text}`);
  const body: unknown = JSON.parse(answer.text.replaceAll(url, 'base:'));
  const first = Array.isArray(body) ? body[0] : body;
  return [headers.map((name) => answer.headers[name]), first, body];
}

/** The list over GraphQL holds as many issues as that over REST. */
async function requireGraphqlList(gantry: string): Promise<void> {
  const { status, text } = await send(gantry, graphqlList(1));
  const answer: { data?: { project?: { issues?: { nodes?: unknown[] } } } } = status === 200 ? JSON.parse(text) : {};
  if (answer.data?.project?.issues?.nodes?.length !== 20) throw new Error(`GraphQL answered ${status}: ${text}`);
}

function excerpt([headers, first]: unknown[]): string {
  return `${JSON.stringify(headers)} ${JSON.stringify(first)}`;
}
