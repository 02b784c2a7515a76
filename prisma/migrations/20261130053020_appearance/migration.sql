-- CreateTable
CREATE TABLE "appearances" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "title" TEXT NOT NULL DEFAULT '',
    "description" TEXT NOT NULL DEFAULT '',
    "pwa_name" TEXT NOT NULL DEFAULT '',
    "pwa_short_name" TEXT NOT NULL DEFAULT '',
    "pwa_description" TEXT NOT NULL DEFAULT '',
    "member_guidelines" TEXT NOT NULL DEFAULT '',
    "new_project_guidelines" TEXT NOT NULL DEFAULT '',
    "profile_image_guidelines" TEXT NOT NULL DEFAULT '',
    "header_message" TEXT NOT NULL DEFAULT '',
    "footer_message" TEXT NOT NULL DEFAULT '',
    "message_background_color" TEXT NOT NULL DEFAULT '#E75E40',
    "message_font_color" TEXT NOT NULL DEFAULT '#FFFFFF',
    "email_header_and_footer_enabled" BOOLEAN NOT NULL DEFAULT false,
    "logo_key" TEXT,
    "header_logo_key" TEXT,
    "favicon_key" TEXT,
    "pwa_icon_key" TEXT,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "appearances_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "appearances_one_row" CHECK ("id" = 1)
);

-- CreateTable
CREATE TABLE "appearance_images" (
    "name" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "content" BYTEA NOT NULL,

    CONSTRAINT "appearance_images_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "broadcast_messages" (
    "id" SERIAL NOT NULL,
    "message" TEXT NOT NULL,
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,
    "theme" TEXT NOT NULL DEFAULT 'indigo',
    "color" TEXT,
    "font" TEXT,
    "target_access_levels" INTEGER[] NOT NULL DEFAULT ARRAY[]::INTEGER[],
    "target_path" TEXT,
    "broadcast_type" TEXT NOT NULL DEFAULT 'banner',
    "dismissable" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "broadcast_messages_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "broadcast_messages_ends_at_id_idx" ON "broadcast_messages"("ends_at", "id");

-- The one row.
INSERT INTO "appearances" DEFAULT VALUES;

-- Every process hears of both, which it keeps like the settings.
CREATE TRIGGER "appearances_changed" AFTER UPDATE ON "appearances"
  FOR EACH STATEMENT EXECUTE FUNCTION "tell_settings"();
CREATE TRIGGER "broadcast_messages_changed" AFTER INSERT OR UPDATE OR DELETE ON "broadcast_messages"
  FOR EACH STATEMENT EXECUTE FUNCTION "tell_settings"();
