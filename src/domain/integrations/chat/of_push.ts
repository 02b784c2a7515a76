import type { Told } from '#src/domain/integrations/base/kind.ts';
import type { Message, Part } from '#src/domain/integrations/chat/message.ts';
import { actorOf, link, pageUrl, projectLink, shortened, TITLE_LENGTH } from '#src/domain/integrations/chat/parts.ts';
import { comparePath, refPath } from '#src/domain/namespaces/address.ts';

/** How many commits of a push are listed. */
const MAX_COMMITS = 10;

const NOTHING = /^0+$/;

/** A push to a branch, or a new, moved or deleted tag. */
export function messageOfPush({ kind, payload }: Told): Message {
  const isTag = kind === 'tag_push';
  const name = (payload.ref ?? '').replace(/^refs\/(?:heads|tags)\//, '');
  const what = isTag ? 'tag' : 'branch';
  const page = refPath(payload.project.path_with_namespace, isTag ? 'tags' : 'tree', name);
  const ref = link(name, pageUrl(payload, page));
  const { before = '', after = '' } = payload;
  const place = projectLink(payload);
  const actor = actorOf(payload);
  if (NOTHING.test(after)) {
    return {
      title: [`${actor} deleted ${what} ${shortened(name, TITLE_LENGTH)} of `, place],
      lines: [],
      tone: 'neutral',
    };
  }
  if (NOTHING.test(before)) {
    return { title: [`${actor} created ${what} `, ref, ' in ', place], lines: commitLines(payload), tone: 'neutral' };
  }
  if (isTag) return { title: [`${actor} moved tag `, ref, ' in ', place], lines: [], tone: 'neutral' };
  const count = payload.total_commits_count ?? 0;
  const changes = link('compare', pageUrl(payload, comparePath(payload.project.path_with_namespace, before, after)));
  const pushed = count === 0 ? 'moved' : `pushed ${count} ${count === 1 ? 'commit' : 'commits'} to`;
  return {
    title: [`${actor} ${pushed} branch `, ref, ' of ', place, ' (', changes, ')'],
    lines: commitLines(payload),
    tone: 'neutral',
  };
}

/** The latest commits, oldest first, and how many more there are. */
function commitLines({ commits = [], total_commits_count: total = 0 }: Told['payload']): Part[][] {
  const shown = commits.slice(-MAX_COMMITS);
  const lines: Part[][] = shown.map(({ id, message, url, author }) => [
    link(id.slice(0, 8), url),
    `: ${shortened(message.split('\n', 1)[0] ?? '', TITLE_LENGTH)} – ${shortened(author.name, TITLE_LENGTH)}`,
  ]);
  const more = total - shown.length;
  return more > 0 && shown.length > 0 ? [[`${more} earlier ${more === 1 ? 'commit' : 'commits'}`], ...lines] : lines;
}
