var mongoose = require('mongoose');
var Schema = mongoose.Schema;
var passportLocalMongoose = require('passport-local-mongoose');

var Account = new Schema({
  email: { type: String, required: true },
  nickname: String,
  isAdmin: { type: Boolean, default: false },
  joined: { type: Date, default: Date.now }
});

Account.plugin(passportLocalMongoose, { usernameField: 'email', usernameLowerCase: true });

module.exports = mongoose.model('Account', Account);
