import { auditChanges, rowBefore } from '#src/access/audit/changes.ts';
import { type Context, requireAdmin } from '#src/access/permissions/actor.ts';
import { snakeCase } from '#src/base/text.ts';
import type { Db, Transaction } from '#src/platform/database/db.ts';
import { type FieldErrors, NotFound, ValidationFailed } from '#src/platform/errors.ts';
import { type IncomingPicture, type Picture, readPicture } from '#src/platform/pictures.ts';
import {
  APPEARANCE_IMAGES,
  type Appearance,
  type AppearanceImageName,
  currentAppearance,
} from '#src/platform/settings/appearance.ts';
import { forgetSettings } from '#src/platform/settings/current.ts';

/** Characters of the texts at most. */
const LENGTHS = {
  title: 255,
  description: 16_384,
  pwaName: 255,
  pwaShortName: 255,
  pwaDescription: 1_024,
  memberGuidelines: 16_384,
  newProjectGuidelines: 16_384,
  profileImageGuidelines: 4_096,
  headerMessage: 1_024,
  footerMessage: 1_024,
} as const;
const COLORS = ['messageBackgroundColor', 'messageFontColor'] as const;

type Texts = Partial<Record<keyof typeof LENGTHS | (typeof COLORS)[number], string | null | undefined>>;

/** Changes to the appearance: unset means unchanged, null clears a text and removes an image. */
export interface AppearanceChanges extends Texts {
  emailHeaderAndFooterEnabled?: boolean | null | undefined;
  logo?: IncomingPicture | null | undefined;
  headerLogo?: IncomingPicture | null | undefined;
  favicon?: IncomingPicture | null | undefined;
  pwaIcon?: IncomingPicture | null | undefined;
}

const IMAGE_FIELDS = { logo: 'logo', headerLogo: 'header_logo', favicon: 'favicon', pwaIcon: 'pwa_icon' } as const;

/** Changes how the server presents itself. For administrators. Throws Unauthenticated, Forbidden, ValidationFailed. */
export async function updateAppearance(context: Context, changes: AppearanceChanges): Promise<Appearance> {
  requireAdmin(context);
  const { db } = context;
  const texts = checkedTexts(changes);
  const images = await picturesOf(changes);
  const { emailHeaderAndFooterEnabled } = changes;
  await db.$transaction(async (tx) => {
    const before = await rowBefore(tx, 'Appearance', 1);
    const keys = images.map(([name, picture]) => [APPEARANCE_IMAGES[name], picture?.key ?? null]);
    await tx.appearance.update({
      where: { id: 1 },
      data: {
        ...texts,
        ...Object.fromEntries(keys),
        ...(emailHeaderAndFooterEnabled != null && { emailHeaderAndFooterEnabled }),
      },
    });
    for (const [name, picture] of images) await saveImage(tx, name, picture);
    const target = { type: 'Settings', id: null } as const;
    await auditChanges(tx, context, { action: 'settings_updated', place: 'server', target }, before);
  });
  forgetSettings(db);
  return currentAppearance(db);
}

/** An image of the appearance, at a path from appearanceImagePath. Public, as any page may show it. Throws NotFound. */
export async function findAppearanceImage(db: Db, name: string, key: string): Promise<Omit<Picture, 'key'>> {
  const appearance = await currentAppearance(db);
  const isCurrent = Object.hasOwn(APPEARANCE_IMAGES, name) && appearance[columnOf(name)] === key;
  const where = { name };
  const found = isCurrent
    ? await db.appearanceImage.findUnique({ where, select: { type: true, content: true } })
    : null;
  if (!found) throw new NotFound('Image');
  return found;
}

function columnOf(name: string) {
  return APPEARANCE_IMAGES[name as AppearanceImageName];
}

async function picturesOf(changes: AppearanceChanges): Promise<[AppearanceImageName, Picture | null][]> {
  const read: [AppearanceImageName, Picture | null][] = [];
  for (const [field, name] of Object.entries(IMAGE_FIELDS) as [keyof typeof IMAGE_FIELDS, AppearanceImageName][]) {
    const given = changes[field];
    if (given !== undefined) read.push([name, given && (await readPicture(given, name))]);
  }
  return read;
}

async function saveImage(tx: Transaction, name: AppearanceImageName, picture: Picture | null): Promise<void> {
  if (!picture) return void (await tx.appearanceImage.deleteMany({ where: { name } }));
  const { type, content } = picture;
  await tx.appearanceImage.upsert({ where: { name }, create: { name, type, content }, update: { type, content } });
}

/** The given texts in the form in which they are stored. Throws ValidationFailed. */
function checkedTexts(changes: Texts): Record<string, string> {
  const errors: FieldErrors = {};
  const texts: Record<string, string> = {};
  for (const [name, most] of Object.entries(LENGTHS) as [keyof typeof LENGTHS, number][]) {
    if (changes[name] === undefined) continue;
    texts[name] = changes[name] ?? '';
    if ([...(texts[name] ?? '')].length > most)
      errors[snakeCase(name)] = [`is too long (maximum is ${most} characters)`];
  }
  for (const name of COLORS) {
    const color = changes[name]?.trim();
    if (!color) continue;
    if (/^#[0-9a-f]{6}$/i.test(color)) texts[name] = color;
    else errors[snakeCase(name)] = ['must be a valid color code'];
  }
  if (Object.keys(errors).length > 0) throw new ValidationFailed(errors);
  return texts;
}
