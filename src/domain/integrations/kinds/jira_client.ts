import { parseJson } from '#src/base/json.ts';
import { withoutTrailingSlashes } from '#src/base/text.ts';
import type { Settings } from '#src/domain/integrations/base/field.ts';
import type { Answer, OutgoingRequest, TellingTools } from '#src/domain/integrations/base/kind.ts';

/** What a comment says. */
interface Comment {
  by: string;
  /** Such as `a commit`, with its address and its title. */
  what: string;
  url: string;
  title: string;
  place: { name: string; url: string };
}

/** How many comments of an issue are looked at for one that is there already. */
const MAX_COMMENTS = 100;

/** A client of the REST API of Jira, version 2. What fails is an answer, not an error: `last` is the one that counts. */
export class JiraClient {
  readonly #settings: Settings;
  readonly #send: TellingTools['send'];
  #last: Answer | null = null;

  constructor(settings: Settings, send: TellingTools['send']) {
    this.#settings = settings;
    this.#send = send;
  }

  /** The last answer that says how it went; null if nothing was asked. */
  get last(): Answer | null {
    return this.#last;
  }

  /** Comments on an issue, once for each address. Does nothing for what is no issue. Returns whether to go on. */
  async comment(key: string, comment: Comment): Promise<boolean> {
    const path = `/issue/${key}/comment`;
    const known = await this.#ask({ path: `${path}?maxResults=${MAX_COMMENTS}&orderBy=-created`, method: 'GET' });
    if (known.status === 404) return this.#skip(known);
    if (!known.succeeded) return false;
    if (known.body?.includes(JSON.stringify(comment.url).slice(1, -1))) return true;
    return (await this.#ask({ path, method: 'POST', data: { body: textOf(comment) } })).succeeded;
  }

  /** Moves an issue by the first transition of the settings that it has. Does nothing for one that is done. Returns whether to go on. */
  async close(key: string): Promise<boolean> {
    const issue = await this.#ask({ path: `/issue/${key}?fields=resolution,status`, method: 'GET' });
    if (issue.status === 404) return this.#skip(issue);
    if (!issue.succeeded) return false;
    if (isDone(read(issue))) return true;
    const offered = await this.#ask({ path: `/issue/${key}/transitions`, method: 'GET' });
    if (!offered.succeeded) return false;
    const id = this.#chosen(read(offered));
    if (id === null) return true;
    return (await this.#ask({ path: `/issue/${key}/transitions`, method: 'POST', data: { transition: { id } } }))
      .succeeded;
  }

  /** The transition to make of those that the issue has. */
  #chosen(answer: unknown): string | null {
    const { transitions = [] } = (answer ?? {}) as {
      transitions?: { id: string; to?: { statusCategory?: { key?: string } } }[];
    };
    const { jira_issue_transition_automatic: automatic, jira_issue_transition_id: ids } = this.#settings;
    if (automatic) return transitions.find(({ to }) => to?.statusCategory?.key === 'done')?.id ?? null;
    const wanted = String(ids ?? '').split(/[,;]\s*/);
    return wanted.find((id) => transitions.some((one) => String(one.id) === id)) ?? null;
  }

  /** An issue that is not there is no failure. */
  #skip(answer: Answer): boolean {
    this.#last = { ...answer, succeeded: true };
    return true;
  }

  async #ask({
    path,
    method,
    data,
  }: {
    path: string;
    method: OutgoingRequest['method'];
    data?: object;
  }): Promise<Answer> {
    const { url, api_url, username, password, jira_auth_type: type } = this.#settings;
    const base = withoutTrailingSlashes(String(api_url || url));
    const basic = Buffer.from(`${username ?? ''}:${password}`).toString('base64');
    const authorization = type === '1' ? `Bearer ${password}` : `Basic ${basic}`;
    const body = data === undefined ? {} : { body: JSON.stringify(data) };
    const headers = { authorization, accept: 'application/json' };
    this.#last = await this.#send({ url: `${base}/rest/api/2${path}`, ...(method && { method }), headers, ...body });
    return this.#last;
  }
}

/** The JSON of an answer; null if it is none. */
function read({ body }: Answer): unknown {
  try {
    return parseJson(Buffer.from(body ?? ''));
  } catch {
    return null;
  }
}

function isDone(issue: unknown): boolean {
  const { fields } = (issue ?? {}) as {
    fields?: { resolution?: unknown; status?: { statusCategory?: { key?: string } } };
  };
  return fields?.resolution != null || fields?.status?.statusCategory?.key === 'done';
}

/** A comment in the markup of Jira. */
function textOf({ by, what, url, title, place }: Comment): string {
  return `${escaped(by)} mentioned this issue in [${what}|${url}] of [${escaped(place.name)}|${place.url}]:\n${escaped(title)}`;
}

/** Text as it is, without markup and mentions. */
function escaped(text: string): string {
  return text
    .slice(0, 500)
    .toWellFormed()
    .replaceAll(/[\\{}[\]|*_~^+!?-]/g, '\\$&');
}
