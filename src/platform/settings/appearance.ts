import { createHash } from 'node:crypto';
import type { Appearance } from '#src/generated/prisma/client.ts';
import { keptLikeSettings } from '#src/platform/settings/current.ts';

export type { Appearance };

/** The images of the appearance, by their names in addresses and in the database. */
export const APPEARANCE_IMAGES = {
  logo: 'logoKey',
  header_logo: 'headerLogoKey',
  favicon: 'faviconKey',
  pwa_icon: 'pwaIconKey',
} as const;

export type AppearanceImageName = keyof typeof APPEARANCE_IMAGES;

/** How the server presents itself. It is kept like the settings. */
export const currentAppearance = keptLikeSettings((db) => db.appearance.findUniqueOrThrow({ where: { id: 1 } }));

/** Path of an image, below the URL of the server. A new image has a new path, so that browsers may cache it. */
export function appearanceImagePath(name: AppearanceImageName, key: string): string {
  return `/uploads/-/system/appearance/${name}/1/${key}`;
}

/**
 * The stylesheet with the colours of the messages on pages, whose policy allows no styles within them.
 *
 * @param more rules for messages that have their own colours
 */
export function appearanceStyle(appearance: Appearance, more: string): { version: string; css: string } {
  const { messageBackgroundColor, messageFontColor } = appearance;
  const line = `.branding-line, .branding-line a { background: ${messageBackgroundColor}; color: ${messageFontColor}; }\n`;
  const css = `${line}${more}`;
  return { version: createHash('sha256').update(css).digest('hex').slice(0, 16), css };
}
