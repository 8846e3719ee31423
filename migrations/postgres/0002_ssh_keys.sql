CREATE TABLE "ssh_keys" (
	"id" text NOT NULL,
	"organization_id" text NOT NULL,
	"name" text NOT NULL,
	"value_sealed" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "ssh_keys_pk" PRIMARY KEY("id")
);
--> statement-breakpoint
ALTER TABLE "workspaces" ADD COLUMN "ssh_key_id" text;--> statement-breakpoint
ALTER TABLE "ssh_keys" ADD CONSTRAINT "ssh_keys_organization_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "ssh_keys_organization_idx" ON "ssh_keys" USING btree ("organization_id","name");