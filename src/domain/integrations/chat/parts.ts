import type { EventPayload } from '#src/domain/integrations/base/kind.ts';
import type { Part } from '#src/domain/integrations/chat/message.ts';

/** Characters of a title of a record, and of a text such as a comment, in messages. */
export const TITLE_LENGTH = 200;
export const TEXT_LENGTH = 500;

/** A text of at most so many characters, on one line if it is a title. */
export function shortened(text: string, most: number): string {
  const trimmed = (most === TITLE_LENGTH ? text.replaceAll(/\s+/g, ' ') : text).trim();
  return trimmed.length <= most ? trimmed : `${trimmed.slice(0, most - 1).toWellFormed()}…`;
}

/** A link to a record, with its title. */
export function link(text: string, url: string): Part {
  return { text: shortened(text, TITLE_LENGTH), url };
}

/** A link to the project. */
export function projectLink({ project }: EventPayload): Part {
  return link(`${project.namespace} / ${project.name}`, project.web_url);
}

/** The name of who caused the event. */
export function actorOf({ user, user_name }: EventPayload): string {
  return shortened(user?.name ?? user_name ?? 'Someone', TITLE_LENGTH);
}

/** The lines of a text that users wrote; none if there is none. */
export function quoted(text: string | null | undefined): Part[][] {
  const short = shortened(text ?? '', TEXT_LENGTH);
  return short === '' ? [] : short.split(/\r?\n/).map((line) => [line]);
}

/** The URL of a page of the project. */
export function pageUrl({ project }: EventPayload, path: string): string {
  return project.web_url.slice(0, -(project.path_with_namespace.length + 1)) + path;
}
