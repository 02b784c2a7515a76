import type { Request, Response } from 'express';
import { readCookie, setCookie } from '#pages/engine/cookies.ts';
import type { Db } from '#src/platform/database/db.ts';
import { appearanceImagePath, appearanceStyle, currentAppearance } from '#src/platform/settings/appearance.ts';

/** What the server says on every page. All of it is safe HTML, and empty where nothing is said. */
export interface ServerMessages {
  header: string;
  footer: string;
  broadcasts: Broadcast[];
  /** The colours of messages that have their own. */
  colors: string;
}

interface Broadcast {
  id: number;
  html: string;
  theme: string;
  broadcastType: string;
  dismissable: boolean;
  /** Who sees it on the pages of a project or group; everyone on every page when empty. */
  targetAccessLevels: readonly number[];
}

/** Finds what the server says on the page at a path, without what the reader hid. */
export type FindMessages = (
  db: Db,
  asked: { path: string; baseUrl: string; dismissed: ReadonlySet<number> },
) => Promise<ServerMessages>;

/** How the server presents itself on a page: its messages, and its images in place of the usual ones. */
export interface Branding extends ServerMessages {
  /** Path of the stylesheet with the colours of the messages; null where none have any. */
  style: string | null;
  /** Paths of images; null for the usual ones. */
  icon: string | null;
  headerLogo: string | null;
  /** Path of the manifest of the installed app; null without a name for it. */
  manifest: string | null;
}

/** Where nothing can be read of it. */
export const NO_BRANDING: Branding = {
  header: '',
  footer: '',
  broadcasts: [],
  colors: '',
  style: null,
  icon: null,
  headerLogo: null,
  manifest: null,
};

/** How many hidden messages a browser remembers. */
const MAX_DISMISSED = 50;
const YEAR = 365 * 24 * 60 * 60_000;

/** What is known of the server on each page. It takes no statement: all of it is kept like the settings. */
export async function brandingFor(find: FindMessages, db: Db, request: Request, baseUrl: string, secure: boolean) {
  const appearance = await currentAppearance(db);
  const dismissed = new Set(dismissedIn(request, secure));
  const said = await find(db, { path: request.originalUrl.split('?')[0] ?? '/', baseUrl, dismissed });
  const { faviconKey, headerLogoKey, pwaName } = appearance;
  const hasColors = said.header !== '' || said.footer !== '' || said.colors !== '';
  return {
    ...said,
    style: hasColors ? `/-/appearance/${appearanceStyle(appearance, said.colors).version}.css` : null,
    icon: faviconKey === null ? null : appearanceImagePath('favicon', faviconKey),
    headerLogo: headerLogoKey === null ? null : appearanceImagePath('header_logo', headerLogoKey),
    manifest: pwaName === '' ? null : '/-/manifest.json',
  };
}

const LEVELS: Readonly<Record<string, number>> = { GUEST: 10, REPORTER: 20, DEVELOPER: 30, MASTER: 40, OWNER: 50 };

/** Without the messages that are for those with other levels in the project or group of the page. */
export function forReader(branding: Branding, values: Readonly<Record<string, unknown>>): Branding {
  const place = (values.project ?? values.group) as { viewerAccessLevel?: string | null } | null | undefined;
  const level = LEVELS[place?.viewerAccessLevel ?? ''];
  const broadcasts = branding.broadcasts.filter(({ targetAccessLevels: levels }) => {
    return levels.length === 0 || (level !== undefined && levels.includes(level));
  });
  return { ...branding, broadcasts };
}

/** Hides a message from a browser. */
export function dismiss(request: Request, response: Response, secure: boolean, id: number): void {
  const others = dismissedIn(request, secure).filter((other) => other !== id);
  const kept = [...others, id].slice(-MAX_DISMISSED);
  setCookie(response, 'gantry_dismissed', kept.join('.'), { secure, maxAge: YEAR });
}

function dismissedIn(request: Request, secure: boolean): number[] {
  const given = readCookie(request, 'gantry_dismissed', secure) ?? '';
  return /^\d{1,9}(?:\.\d{1,9}){0,99}$/.test(given) ? given.split('.').map(Number) : [];
}
