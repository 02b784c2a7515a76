import { label, type Texts } from '#src/platform/texts/texts.ts';

/** A link at the top of every page. */
export interface NavigationLink {
  path: string;
  label: string;
  /** The value of `aria-current`: `page` if the link leads to the current page, `true` for the pages below it. */
  current?: 'page' | 'true';
}

interface NavigationItem {
  path: string;
  label: string;
  /** Pages that belong to this one although their paths do not begin with its path. */
  also?: readonly string[];
}

/** What the top of every page offers. */
export interface Navigation {
  /** For all to see. */
  site: NavigationLink[];
  /** In the menu of the signed-in user: the settings, and what is for programs. */
  settings: NavigationLink[];
  programs: NavigationLink[];
  /** For administrators, where they administer the server. */
  administration: NavigationLink[];
}

const SITE: readonly NavigationItem[] = [{ path: '/explore', label: label('Explore') }];

const PROGRAMS: readonly NavigationItem[] = [
  { path: '/-/docs', label: label('API') },
  { path: '/graphql', label: label('GraphiQL') },
  { path: '/help', label: label('Help') },
];

const SETTINGS: readonly NavigationItem[] = [
  { path: '/profile', label: label('Profile'), also: ['/profile/avatar', '/profile/emails'] },
  { path: '/profile/account', label: label('Account'), also: ['/profile/two_factor'] },
  { path: '/profile/personal_access_tokens', label: label('Tokens'), also: ['/profile/private_token'] },
  { path: '/profile/keys', label: label('Keys') },
  { path: '/profile/applications', label: label('Applications') },
  { path: '/profile/sessions', label: label('Sessions') },
  { path: '/profile/chat', label: label('Connected chats') },
  { path: '/profile/notifications', label: label('Notifications') },
  { path: '/profile/preferences', label: label('Preferences') },
  { path: '/profile/placeholders', label: label('Placeholders') },
  { path: '/profile/data', label: label('Your data') },
];

const ADMINISTRATION: readonly NavigationItem[] = [{ path: '/admin', label: label('Administration') }];

const SIGNED_OUT: readonly NavigationItem[] = [{ path: '/users/sign_in', label: label('Sign in') }];

/** The links at the top of the page at a path, for visitors, users and administrators, in the language of `t`. */
export function navigation(
  path: string,
  { signedIn, isAdmin }: { signedIn: boolean; isAdmin: boolean },
  t: Texts['t'],
): Navigation {
  const links = (items: readonly NavigationItem[]) =>
    items.map((place) => {
      const current = currentAt(place, path);
      return { path: place.path, label: t(place.label), ...(current && { current }) };
    });
  if (!signedIn)
    return { site: links([...SITE, ...PROGRAMS, ...SIGNED_OUT]), settings: [], programs: [], administration: [] };
  const administration = isAdmin ? links(ADMINISTRATION) : [];
  return { site: links(SITE), settings: links(SETTINGS), programs: links(PROGRAMS), administration };
}

function currentAt(place: NavigationItem, path: string): NavigationLink['current'] {
  if (path === place.path) return 'page';
  // All of the user's own pages are below the profile.
  const below = [...(place.path === '/profile' ? [] : [place.path]), ...(place.also ?? [])];
  return below.some((start) => path === start || path.startsWith(`${start}/`)) ? 'true' : undefined;
}
